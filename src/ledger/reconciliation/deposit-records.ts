import { sql } from 'drizzle-orm';
import { house } from '../transfers.ts';
import { cursorAfter } from './check.ts';
import type { Finding } from './invariants.ts';
import { type RecordKind, areLegs, listNumbers, readTransfersOf, selectTransfersOf } from './record-transfers.ts';
import type { JournalRow, Tail } from './tail.ts';

interface DepositRow {
  readonly accountId: string;
  readonly id: string;
  readonly asset: string;
  readonly amount: string;
  readonly status: string;
  readonly transfers: string;
  /** The withdrawal inside Bureau that this may be the receipt of. */
  readonly withdrawalId: string | null;
  readonly withdrawalTransfers: string;
}

/** What a receipt's reference says before the withdrawal's id. */
const RECEIPT = 'withdrawal ';

/**
 * Deposits: one transfer out of custody once it is completed, and none before. The receipt of a withdrawal inside
 * Bureau has none of its own: the withdrawal's transfer to its account stands for it.
 */
export const depositRecords: RecordKind<DepositRow> = {
  name: 'deposits',
  kind: 'deposit',
  explains: sql`EXISTS (SELECT 1 FROM deposits WHERE account_id = t.credit AND id = t.reference)`,

  query: ({ after: [accountId, id], rows }) => sql`
    SELECT account_id AS accountId, id, asset, CAST(amount AS TEXT) AS amount, status,
      ${selectTransfersOf(sql`d.id`)} AS transfers,
      iif(reference LIKE ${`${RECEIPT}%`}, substr(reference, ${RECEIPT.length + 1}), NULL) AS withdrawalId,
      ${selectTransfersOf(sql`substr(d.reference, ${RECEIPT.length + 1})`)} AS withdrawalTransfers
    FROM deposits AS d WHERE (account_id, id) > (${accountId}, ${id}) ORDER BY account_id, id LIMIT ${rows}`,

  judge: (rows, slice, tail) => ({
    next: cursorAfter(rows, slice, ({ accountId, id }) => [accountId, id]),
    checked: { records_match_transfers: rows.length },
    findings: rows.flatMap((row): Finding[] => {
      const own = readTransfersOf(row.transfers, tail, row.id);
      if (isTied(row, own, tail)) return [];
      const { id: deposit, accountId, status } = row;
      const example = { deposit, accountId, status, transfers: listNumbers(own) };
      return [{ invariant: 'records_match_transfers', example }];
    }),
  }),
};

function isTied(row: DepositRow, own: readonly JournalRow[], tail: Tail): boolean {
  const { accountId: credit, asset, withdrawalId } = row;
  if (row.status !== 'COMPLETED') return own.length === 0;
  const amount = BigInt(row.amount);
  // A credit by hand may name a withdrawal, too; then it has a transfer of its own.
  if (withdrawalId === null || own.length > 0) {
    return areLegs(own, [{ kind: 'deposit', debit: house.custody, credit, asset, amount }]);
  }
  const received = readTransfersOf(row.withdrawalTransfers, tail, withdrawalId).filter((one) => one.credit === credit);
  const [only] = received;
  return only !== undefined && areLegs(received, [{ kind: 'withdrawal', debit: only.debit, credit, asset, amount }]);
}
