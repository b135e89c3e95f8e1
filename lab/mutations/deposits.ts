import type { Room } from './mutation.ts';

const DUST = 'migrations/0005_deposits.sql';
const QUARANTINE = 'migrations/0005_deposits.sql';
const quarantineTest = 'test/operator/quarantine.test.ts';

export const deposits: Room = {
  name: 'deposits',
  file: 'src/deposits/report-deposit.ts',
  tests: ['test/operator/dust.test.ts'],
  mutations: [
    { name: 'a deposit below the minimum is credited', find: 'if (amount < minimum)', replace: 'if (amount === 0n)' },
    {
      name: 'a deposit of exactly the minimum is not credited',
      find: 'if (amount < minimum)',
      replace: 'if (amount <= minimum)',
    },
    {
      name: 'every report writes the number of confirmations',
      find: 'if (status === standing.status) {',
      replace: 'if (status === standing.status && report.confirmations <= standing.confirmations) {',
    },
    {
      name: 'a deposit that was too small may be credited later',
      file: DUST,
      find: "WHERE OLD.reason IS 'below_minimum' AND NEW.status IS NOT 'FAILED'",
      replace: 'WHERE 0',
    },
    {
      name: 'the sum of deposits below the minimum is cut off at nine decimals',
      file: DUST,
      find: "'.') + 10, 9) AS INTEGER)\n    WHERE asset = NEW.asset",
      replace: "'.') + 10, 0) AS INTEGER)\n    WHERE asset = NEW.asset",
    },
    {
      name: 'a deposit below the minimum that failed stays in the sum',
      file: DUST,
      find: "WHEN OLD.reason IS 'below_minimum' AND NEW.reason IS NOT 'below_minimum'",
      replace: 'WHEN 0',
    },
    {
      name: 'a quarantined deposit may be decided again after its credit',
      file: QUARANTINE,
      find: "WHERE OLD.decision IS 'CREDITED' OR (OLD.decision IS 'KEPT' AND NEW.decision IS NOT 'CREDITED')",
      replace: 'WHERE 0',
      tests: [quarantineTest],
    },
    {
      name: 'a quarantined deposit is credited to another account than the audit says',
      file: QUARANTINE,
      find: "AND action = 'credit_deposit' AND detail ->> 'accountId' = NEW.credit_account)",
      replace: "AND action = 'credit_deposit')",
      tests: [quarantineTest],
    },
    {
      name: 'a quarantined deposit is credited by one person of two',
      file: QUARANTINE,
      find: "WHERE NEW.decision IS 'CREDITED'\n      AND EXISTS (SELECT 1 FROM two_admins)",
      replace: 'WHERE 0',
      tests: ['test/operator/two-people.test.ts'],
    },
    {
      name: 'a credit in the name of a quarantined deposit needs no decision',
      file: QUARANTINE,
      find: "WHEN NEW.reference GLOB 'quarantine *'",
      replace: 'WHEN 0',
      tests: [quarantineTest],
    },
    {
      name: 'a deposit that was credited out of the quarantine is credited by a later report',
      file: QUARANTINE,
      find: 'WHEN OLD.decision IS NOT NULL AND NEW.status IS NOT OLD.status',
      replace: 'WHEN 0',
      tests: [quarantineTest],
    },
    {
      name: 'a report credits a deposit that was kept',
      find: "(standing.reason === 'supply_cap' && standing.decision === null)",
      replace: "standing.reason === 'supply_cap'",
      tests: [quarantineTest],
    },
    {
      name: 'a revert of a deposit that was credited out of the quarantine is taken',
      find: "(standing.status === 'COMPLETED' || standing.decision === 'CREDITED')",
      replace: "standing.status === 'COMPLETED'",
      tests: [quarantineTest],
    },
  ],
};
