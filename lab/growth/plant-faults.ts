import type { DatabaseSync } from 'node:sqlite';
import type { Invariant } from '../../src/reconciliation/invariants.ts';
import { idInCrowd } from '../../test/support/growth/compose-crowd.ts';
import { withoutTriggers } from './write-ledger.ts';

const [first, second, third] = [idInCrowd('0'), idInCrowd('1'), idInCrowd('2')];
const LAST = 'ORDER BY account_id DESC, id DESC LIMIT 1';

/** Those that a pass over one ledger checks. */
type OwnInvariant = Exclude<Invariant, 'payments_have_both_sides' | 'hedges_sent_once'>;

/** For each invariant, a change that bypasses the triggers and breaks it. No two changes touch the same rows. */
export const faults: Readonly<Record<OwnInvariant, readonly string[]>> = {
  ledger_sums_to_zero: [`UPDATE balances SET amount = amount + 1 WHERE account = ${first} AND asset = 'AVAX'`],
  balances_above_floor: [`UPDATE balances SET amount = -1 WHERE account = ${second} AND asset = 'ETH'`],
  balances_match_transfers: [
    `UPDATE balances SET last_transfer = last_transfer + 1 WHERE account = ${third} AND asset = 'BTC'`,
  ],
  journal_has_no_gap: [`DELETE FROM transfers WHERE id = (SELECT max(id) / 2 FROM transfers)`],
  records_match_transfers: [
    `UPDATE deposits SET status = 'FAILED', transfer = NULL
    WHERE (account_id, id) = (SELECT account_id, id FROM deposits WHERE status = 'COMPLETED' ${LAST})`,
  ],
  withdrawals_paid_once: [
    `UPDATE withdrawals SET returned_transfer = paid_transfer
    WHERE (account_id, id) = (SELECT account_id, id FROM withdrawals ${LAST})`,
  ],
  withdrawals_within_limit: [
    `UPDATE withdrawals SET usd_value = daily_limit + 1
    WHERE (account_id, id) = (SELECT account_id, id FROM withdrawals ORDER BY account_id, id LIMIT 1)`,
  ],
  rounding_favours_house: [
    `UPDATE orders SET executed_price = executed_price * 2
    WHERE (account_id, id) = (SELECT account_id, id FROM orders WHERE account_id = ${first} LIMIT 1)`,
  ],
  addresses_have_one_owner: [
    `UPDATE addresses
    SET network = 'nowhere', address = (SELECT address FROM addresses WHERE account_id = ${first} AND network = 'ETH')
    WHERE account_id = ${second} AND network = 'DOGE'`,
  ],
  debts_within_caps: [`UPDATE balances SET floor = amount + 1 WHERE account = 'house:custody' AND asset = 'LTC'`],
  pnl_unexplained: [`UPDATE balances SET capital = 1 WHERE account = 'house:liquidity' AND asset = 'LTC'`],
  // The first transfer of all, with its record and both balances. Only the history's links show this change.
  history_unchanged: [
    `UPDATE deposits SET amount = amount + 1
      WHERE transfer = 1 AND account_id = (SELECT credit FROM transfers WHERE id = 1)`,
    `UPDATE balances SET amount = amount + iif(account = 'house:custody', -1, 1)
      WHERE asset = (SELECT asset FROM transfers WHERE id = 1)
        AND account IN ('house:custody', (SELECT credit FROM transfers WHERE id = 1))`,
    'UPDATE transfers SET amount = amount + 1 WHERE id = 1',
  ],
};

const touched = ['balances', 'transfers', 'orders', 'deposits', 'withdrawals', 'addresses'];

/** Breaks every invariant. Throws when a change finds nothing to change. */
export function plantFaults(database: DatabaseSync): void {
  database.exec('PRAGMA ignore_check_constraints = ON');
  withoutTriggers(database, touched, () => {
    for (const [invariant, statements] of Object.entries(faults)) {
      for (const statement of statements) {
        const { changes } = database.prepare(statement).run();
        if (Number(changes) === 0) throw new Error(`there is nothing to break ${invariant} by`);
      }
    }
  });
}
