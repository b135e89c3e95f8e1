import { sql } from 'drizzle-orm';
import { house } from '../transfers.ts';
import { cursorAfter } from './check.ts';
import type { Finding } from './invariants.ts';
import {
  type Leg,
  type RecordKind,
  areLegs,
  isHouse,
  listNumbers,
  readTransfersOf,
  selectTransfersOf,
} from './record-transfers.ts';
import type { JournalRow } from './tail.ts';

interface WithdrawalRow {
  readonly accountId: string;
  readonly id: string;
  readonly type: 'ONCHAIN_WITHDRAWAL' | 'INTERNAL_WITHDRAWAL';
  readonly asset: string;
  readonly amount: string;
  readonly fee: string;
  readonly status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'FAILED';
  /** The account that has the receipt of it, where it was paid inside Bureau. */
  readonly recipient: string | null;
  readonly transfers: string;
}

/**
 * Withdrawals: one transfer that takes amount and fee; once it is paid, one that pays the amount and one for a fee;
 * once it failed, one that gives everything back. Inside Bureau the first may pay at once.
 */
export const withdrawalRecords: RecordKind<WithdrawalRow> = {
  name: 'withdrawals',
  kind: 'withdrawal',
  // What leaves the house's hands names no account: the transfer that took it from one stands under the same reference.
  explains: sql`(
    EXISTS (SELECT 1 FROM withdrawals WHERE account_id IN (t.debit, t.credit) AND id = t.reference)
    OR EXISTS (
      SELECT 1 FROM transfers_of_records AS place CROSS JOIN transfers AS taken CROSS JOIN withdrawals AS w
      WHERE place.reference = t.reference AND taken.id = place.transfer
        AND w.account_id = taken.debit AND w.id = t.reference))`,

  query: ({ after: [accountId, id], rows }) => sql`
    SELECT account_id AS accountId, id, type, asset, CAST(amount AS TEXT) AS amount, CAST(fee AS TEXT) AS fee, status,
      (SELECT d.account_id FROM addresses AS a CROSS JOIN deposits AS d
        WHERE a.network = w.network AND a.address = w.address AND d.account_id = a.account_id
          AND d.reference = 'withdrawal ' || w.id AND d.status = 'COMPLETED') AS recipient,
      ${selectTransfersOf(sql`w.id`)} AS transfers
    FROM withdrawals AS w WHERE (account_id, id) > (${accountId}, ${id}) ORDER BY account_id, id LIMIT ${rows}`,

  judge: (rows, slice, tail) => {
    const findings: Finding[] = [];
    for (const row of rows) {
      const transfers = readTransfersOf(row.transfers, tail, row.id);
      const { accountId, id: withdrawal, status } = row;
      const example = { withdrawal, accountId, status, transfers: listNumbers(transfers) };
      if (!endingsOf(row).some((legs) => areLegs(transfers, legs))) {
        findings.push({ invariant: 'records_match_transfers', example });
      }
      if (!isPaidOnce(row, transfers)) findings.push({ invariant: 'withdrawals_paid_once', example });
    }
    return {
      next: cursorAfter(rows, slice, ({ accountId, id }) => [accountId, id]),
      checked: { records_match_transfers: rows.length, withdrawals_paid_once: rows.length },
      findings,
    };
  },
};

/** The sets of transfers that the state of a withdrawal allows; exactly one of them is there. */
function endingsOf({ accountId, type, asset, status, recipient, ...row }: WithdrawalRow): Leg[][] {
  const [amount, fee] = [BigInt(row.amount), BigInt(row.fee)];
  const leg = (debit: string, credit: string, atoms: bigint): Leg => {
    return { kind: 'withdrawal', debit, credit, asset, amount: atoms };
  };
  const taken = leg(accountId, house.payouts, amount + fee);
  if (status === 'FAILED') return [[taken, leg(house.payouts, accountId, amount + fee)]];
  if (status !== 'COMPLETED') return [[taken]];
  if (type === 'INTERNAL_WITHDRAWAL') {
    if (recipient === null) return [];
    // At once, or after a review.
    return [[leg(accountId, recipient, amount)], [taken, leg(house.payouts, recipient, amount)]];
  }
  const paid = [taken, leg(house.payouts, house.custody, amount)];
  return [fee > 0n ? [...paid, leg(house.payouts, house.fees, fee)] : paid];
}

function isPaidOnce({ accountId }: WithdrawalRow, transfers: readonly JournalRow[]): boolean {
  const isReturned = transfers.some(({ credit }) => credit === accountId);
  const payments = transfers.filter(
    ({ credit }) => credit === house.custody || (!isHouse(credit) && credit !== accountId),
  );
  return payments.length <= (isReturned ? 0 : 1);
}
