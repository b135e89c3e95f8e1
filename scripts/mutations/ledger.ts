import type { Mutation, Room } from './mutation.ts';

const ledgerTest = 'test/ledger/ledger.test.ts';
const recordsTest = 'test/ledger/records.test.ts';
const roundsTest = 'test/ledger/order-rounds.test.ts';
const keysTest = 'test/ledger/order-keys.test.ts';

// The journal's triggers were written again by the fifth migration, which is the one that counts.
const FIRST = 'migrations/0001_ledger.sql';
const ADDRESSES = 'migrations/0002_addresses.sql';
const FIFTH = 'migrations/0005_settlements.sql';
const SIXTH = 'migrations/0006_reconciliation.sql';
const SEVENTH = 'migrations/0007_order_prices.sql';

/** A trigger that never fires. */
function silence(file: string, head: string, tests: readonly string[]): Mutation {
  const [trigger = ''] = head.split(' ');
  return {
    name: `the trigger ${trigger} is gone`,
    file,
    find: `CREATE TRIGGER ${head}\nBEGIN`,
    replace: `CREATE TRIGGER ${head}\nWHEN 0\nBEGIN`,
    tests,
  };
}

export const ledger: Room = {
  name: 'ledger',
  file: FIFTH,
  tests: [ledgerTest],
  mutations: [
    silence(FIFTH, 'transfers_are_not_changed BEFORE UPDATE ON transfers', [ledgerTest]),
    silence(FIFTH, 'transfers_are_not_deleted BEFORE DELETE ON transfers', [ledgerTest]),
    silence(FIRST, 'balances_are_kept BEFORE DELETE ON balances', [ledgerTest]),
    silence(FIRST, 'orders_are_not_changed BEFORE UPDATE ON orders', [recordsTest]),
    silence(FIRST, 'deposits_are_not_deleted BEFORE DELETE ON deposits', [recordsTest]),
    silence(FIRST, 'settings_are_kept BEFORE DELETE ON settings', [recordsTest]),
    silence(FIRST, 'audit_is_not_changed BEFORE UPDATE ON audit', ['test/operator/settings.test.ts']),
    silence(ADDRESSES, 'addresses_are_not_changed BEFORE UPDATE ON addresses', ['test/ledger/addresses.test.ts']),
    silence(FIFTH, 'settlements_are_not_changed BEFORE UPDATE ON settlements', ['test/ledger/settlements.test.ts']),
    {
      name: 'the journal may have a gap',
      find: 'WHEN NEW.id IS NOT (SELECT',
      replace: 'WHEN NEW.id < (SELECT',
    },
    {
      name: 'a balance may be set to nothing: IS NOT became <>',
      find: 'WHEN NEW.amount IS NOT OLD.amount OR NEW.last_transfer IS NOT OLD.last_transfer',
      replace: 'WHEN NEW.amount <> OLD.amount OR NEW.last_transfer <> OLD.last_transfer',
    },
    {
      name: 'a transfer explains a balance twice',
      find: 'NEW.last_transfer <= OLD.last_transfer',
      replace: 'NEW.last_transfer < OLD.last_transfer',
    },
    {
      name: 'the last atom cannot be spent',
      find: 'WHERE NEW.amount < NEW.floor',
      replace: 'WHERE NEW.amount <= NEW.floor',
      tests: ['test/ledger/transfers.test.ts'],
    },
    {
      name: 'a transfer debits and credits nobody',
      file: SEVENTH,
      find: 'ELSE price_round END\n    WHERE account = NEW.credit',
      replace: 'ELSE price_round END\n    WHERE 0 AND account = NEW.credit',
      tests: ['test/ledger/transfers.test.ts'],
    },
    {
      name: 'a balance may begin twice',
      file: FIRST,
      find: 'OR EXISTS (SELECT 1 FROM balances WHERE account = NEW.account AND asset = NEW.asset)',
      replace: '',
    },
    {
      name: 'a balance may change its asset',
      file: FIRST,
      find: 'NEW.account IS NOT OLD.account OR NEW.asset IS NOT OLD.asset',
      replace: 'NEW.account IS NOT OLD.account',
    },
    {
      name: 'a client’s balance may get a floor below zero',
      file: FIRST,
      find: 'UPDATE OF floor ON balances\nWHEN NEW.floor IS NOT 0',
      replace: 'UPDATE OF floor ON balances\nWHEN 0',
    },
    {
      name: 'a frozen account trades',
      file: SEVENTH,
      find: "WHERE id = NEW.account_id AND status = 'active')",
      replace: 'WHERE id = NEW.account_id)',
      tests: [recordsTest],
    },
    {
      name: 'a halt of trading does not hold in the batch',
      file: SEVENTH,
      find: 'trading_halted = 0)',
      replace: 'trading_halted >= 0)',
      tests: [recordsTest],
    },
    {
      name: 'an order is filled at an older round than the newest fill',
      file: SEVENTH,
      find: 'AND asset = NEW.coin AND price_round <= NEW.price_round)',
      replace: 'AND asset = NEW.coin)',
      tests: [roundsTest],
    },
    {
      name: 'a fill leaves no round',
      file: SEVENTH,
      find: "CASE WHEN NEW.kind = 'order' AND NEW.debit = 'house:liquidity' AND NEW.asset <> 'USDT'",
      replace: "CASE WHEN 0 AND NEW.kind = 'order'",
      tests: [roundsTest],
    },
    {
      name: 'the round of a balance may fall',
      file: SEVENTH,
      find: 'NEW.price_round IS NULL OR NEW.price_round < OLD.price_round',
      replace: 'NEW.price_round IS NULL',
      tests: [roundsTest],
    },
    {
      name: 'a key that was revoked trades',
      file: SEVENTH,
      find: ' AND revoked_at IS NULL);',
      replace: ');',
      tests: [keysTest],
    },
    {
      name: 'another account’s key trades',
      file: SEVENTH,
      find: 'WHERE id = NEW.key_id AND account_id = NEW.account_id AND',
      replace: 'WHERE id = NEW.key_id AND',
      tests: [keysTest],
    },
    {
      name: 'a key trades in the millisecond in which it expires',
      file: SEVENTH,
      find: '<= substr(NEW.id, 1, 13)',
      replace: '< substr(NEW.id, 1, 13)',
      tests: [keysTest],
    },
    {
      name: 'a deposit that was credited may be completed again',
      file: FIRST,
      find: "WHERE OLD.status IN ('COMPLETED', 'FAILED')",
      replace: "WHERE OLD.status IN ('FAILED')",
      tests: ['test/operator/deposits.test.ts'],
    },
    {
      name: 'a deposit that waits is credited',
      find: "AND amount = NEW.amount\n        AND status = 'COMPLETED')",
      replace: 'AND amount = NEW.amount)',
      tests: ['test/operator/deposits.test.ts'],
    },
    {
      name: 'a withdrawal that did not fail may be given back',
      find: "AND status = 'FAILED')",
      replace: ')',
      tests: ['test/ledger/withdrawals.test.ts'],
    },
    {
      name: 'a withdrawal takes another amount than it says',
      find: 'WHERE account_id = NEW.debit AND id = NEW.reference AND asset = NEW.asset AND amount + fee = NEW.amount\n        AND (',
      replace: 'WHERE account_id = NEW.debit AND id = NEW.reference AND asset = NEW.asset\n        AND (',
      tests: ['test/ledger/withdrawals.test.ts'],
    },
    {
      name: 'a leg of a settlement moves under any number',
      find: "(type IN ('P2P_BUY', 'QUICK_BUY') AND NEW.id = first_transfer\n",
      replace: "(type IN ('P2P_BUY', 'QUICK_BUY')\n",
      tests: ['test/ledger/settlements.test.ts'],
    },
    {
      name: 'a halt may be lifted while a violation stands',
      file: SIXTH,
      find: 'WHERE cleared_at IS NULL)\nBEGIN',
      replace: 'WHERE cleared_at IS NOT NULL)\nBEGIN',
      tests: ['test/ledger/reconciliation-guards.test.ts'],
    },
    {
      name: 'a withdrawal’s limit may change: IS NOT became <>',
      file: SIXTH,
      find: 'WHEN NEW.daily_limit IS NOT OLD.daily_limit',
      replace: 'WHEN NEW.daily_limit <> OLD.daily_limit',
      tests: ['test/ledger/reconciliation-guards.test.ts'],
    },
    {
      name: 'a lost connection is taken for a batch that was turned away',
      file: 'src/ledger/database-fault.ts',
      find: '/overloaded|',
      replace: '/overloaded|connection lost|',
      tests: ['test/ledger/commit.test.ts'],
    },
    {
      name: 'of a batch whose record is there already it is said that it committed',
      file: 'src/ledger/commit.ts',
      find: "return { kind: 'exists' };",
      replace: "return { kind: 'committed' };",
      tests: ['test/ledger/commit.test.ts'],
    },
  ],
};
