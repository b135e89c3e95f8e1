import type { Room } from './mutation.ts';

const grantTest = 'test/ledger/quotas.three-ledgers.test.ts';
const planTest = 'test/ledger/plan-taking.pure.test.ts';
const inventoryTest = 'test/ledger/inventory.three-ledgers.test.ts';
const KEEP_INVENTORY = 'src/ledger/movements/keep-inventory.ts';

export const quotas: Room = {
  name: 'quotas',
  file: 'src/ledger/quotas/grant-quota.ts',
  tests: [grantTest],
  mutations: [
    {
      name: 'a grant is received before it is given',
      find: 'const given = await writeHalf(bindings, grant, grant.giver, actor);',
      replace: 'const given = await writeHalf(bindings, grant, grant.receiver, actor);',
    },
    {
      name: 'a grant that was cut off is never finished',
      find: 'sql`received = 0`',
      replace: 'sql`received = 2`',
    },
    {
      name: 'a deposit over its ledger’s quota is quarantined though the exchange has room',
      file: 'src/ledger/quotas/obtain-quota.ts',
      find: "if (spare < missing && isWholeLimit(all, limit.asset)) return 'beyond_limit';",
      replace: "if (spare < missing || isWholeLimit(all, limit.asset)) return 'beyond_limit';",
    },
    {
      name: 'a deposit over the supply cap waits as if quota could come',
      file: 'src/ledger/quotas/obtain-quota.ts',
      find: "if (spare < missing && isWholeLimit(all, limit.asset)) return 'beyond_limit';",
      replace: '',
    },
    {
      name: 'a ledger’s keeper takes no quota',
      file: 'src/ledger/quotas/read-quotas.ts',
      find: 'return room < quota && 2n * room < quota;',
      replace: 'return false;',
    },
    {
      name: 'two ledgers take quota from each other in turn',
      file: 'src/ledger/quotas/plan-taking.ts',
      find: 'richest.spare <= 2n * room',
      replace: 'richest.spare < room',
      tests: [planTest],
    },
    {
      name: 'quota is taken from the ledger that can spare least',
      file: 'src/ledger/quotas/plan-taking.ts',
      find: 'one.spare > other.spare ? -1 : 1',
      replace: 'one.spare > other.spare ? 1 : -1',
      tests: [planTest],
    },
    {
      name: 'inventory is taken from the ledger that has least',
      file: KEEP_INVENTORY,
      find: 'one.spare > other.spare ? -1 : 1',
      replace: 'one.spare > other.spare ? 1 : -1',
      tests: [inventoryTest],
    },
    {
      name: 'a ledger takes all inventory that another can spare',
      file: KEEP_INVENTORY,
      find: 'const amount = even < richest.spare ? even : richest.spare;',
      replace: 'const amount = even < richest.spare ? richest.spare : even;',
      tests: [inventoryTest],
    },
    {
      name: 'inventory moves for an atom',
      file: KEEP_INVENTORY,
      find: 'amount > 0n && amount * LEAST_PART >= own.quota',
      replace: 'amount > 0n',
      tests: [inventoryTest],
    },
    {
      name: 'a new database has the limits of ledger 0',
      file: 'src/ledger/copy-settings.ts',
      find: 'if (copy.ledger !== number) await numberLedger(database, number, now_ms);',
      replace: '',
      tests: ['test/ledger/new-ledger.test.ts'],
    },
  ],
};
