/**
 * The files whose accounts are all in ledger 0 in `npm run test:ledgers`: tests of two accounts that trade with or pay
 * each other at once, and tests that write to that database behind the exchange's back, or count what its accounts
 * cost.
 */
export const allInFirst: readonly string[] = [
  'test/api/events.test.ts',
  'test/api/filters.test.ts',
  'test/api/hot-paths.test.ts',
  'test/api/orders.test.ts',
  'test/activity/statement.test.ts',
  'test/activity/transactions.test.ts',
  'test/withdrawals/halts.test.ts',
  'test/withdrawals/hot-path.test.ts',
  'test/withdrawals/inside.test.ts',
  'test/withdrawals/questions.test.ts',
  'test/withdrawals/races.test.ts',
];
