import { sql } from 'drizzle-orm';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { withdrawals } from '../db/schema.ts';
import { house, nextTransfer } from '../db/transfers.ts';
import { isAcross } from './pay-across.ts';
import { type WithdrawalRow, isRow, transferOn } from './withdrawal.ts';

/**
 * The next status, if the withdrawal still has the one it was read in. Otherwise the status stays the same, which the
 * trigger `withdrawals_move_on` refuses. A condition in WHERE would match no row and let the rest of the batch succeed.
 */
export function moveFrom(expected: WithdrawalRow['status'], next: WithdrawalRow['status']) {
  return sql`CASE WHEN ${withdrawals.status} = ${expected} THEN ${next} ELSE ${withdrawals.status} END`;
}

/** One that has ended waits for nothing. */
export const notHeld = { heldReason: null, heldSince: null };

/** How a withdrawal ends: paid under a hash, or certainly never paid, where a rejection may tell the holder something. */
export type WithdrawalEnd =
  | { readonly kind: 'paid'; readonly txHash: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly note?: string | undefined };

/**
 * Ends a withdrawal and moves its money in one batch. If it was paid, the amount leaves the house and the fee goes to
 * the house's fees; if it failed, the money returns to the account. It ends only a withdrawal that is still in the
 * state of `row`, by the custodian's answer or by hand: a second call is `guarded`, so nothing is both paid and returned.
 */
export function settleWithdrawal(
  database: Database,
  row: WithdrawalRow,
  settlement: WithdrawalEnd,
  byHand?: { readonly actor: Actor; readonly reason: string },
): Promise<CommitOutcome> {
  const isPaid = settlement.kind === 'paid';
  const end = isPaid
    ? {
        status: moveFrom(row.status, 'COMPLETED'),
        txHash: isAcross(row) ? null : settlement.txHash,
        paidTransfer: nextTransfer(),
      }
    : {
        status: moveFrom(row.status, 'FAILED'),
        reason: settlement.reason,
        note: settlement.note,
        returnedTransfer: nextTransfer(),
      };
  const record = database
    .update(withdrawals)
    .set({ ...end, ...notHeld })
    .where(isRow(row));
  const fee = row.fee > 0n ? [transferOn(row, house.fees, row.fee)] : [];
  const paid = [transferOn(row, isAcross(row) ? house.transit : house.custody, row.amount), ...fee];
  const returned = [transferOn(row, row.accountId, row.amount + row.fee)];
  const audit = byHand
    ? [insertAudit(database, byHand.actor, 'settle_withdrawal', row.id, { ...settlement, because: byHand.reason })]
    : [];
  return commit(database, [record, ...audit], isPaid ? paid : returned);
}
