import { z } from 'zod';
import { composeEnds, composeFilledOrders, composeGaps, composeHouse, composeUnexplained } from './compose-journal.ts';
import { type HouseMove, composeMoves } from './compose-moves.ts';
import { type CountedPayment, composePayments } from './compose-payments.ts';
import { composeMoved, readMoved } from './compose-sums.ts';
import { readExamples, readUntied } from './compose-ties.ts';
import { type Finding, NOTHING, type SliceResult } from './invariants.ts';
import { type FilledOrder, judgeRounding } from './rounding.ts';
import type { Ledger } from './record-kind.ts';
import { onlyRow, readBatch } from './statement.ts';
import { type HouseBalance, Sums, addSums, compareSums, judgeBalances } from './sums.ts';

/** How far a scan of the journal has come, and the sums of the house's transfers so far. */
export const JournalPosition = z.object({
  /** The number of the newest transfer that was read. */
  after: z.int(),
  house: Sums,
});

export type JournalPosition = z.output<typeof JournalPosition>;

export const JOURNAL_START: JournalPosition = { after: 0, house: {} };

export interface JournalSlice extends SliceResult {
  readonly next: JournalPosition;
  /** Whether the slice reached the end of the journal, so that the house's balances were compared with the sums. */
  readonly isAtEnd: boolean;
  readonly house: readonly HouseBalance[];
  /** The filled orders of the slice, and what else changed what the house has, if it was read as `new`. */
  readonly orders: readonly FilledOrder[];
  readonly moves: readonly HouseMove[];
  readonly payments: readonly CountedPayment[];
}

/**
 * How much is checked of transfers. `sums`: numbers and sums. `records`: also that each belongs to its record. `new`,
 * for the first reading: also the rounding of their orders.
 */
export type JournalDepth = 'sums' | 'records' | 'new';

/**
 * Scans the next `count` numbers of the journal in one transaction. Checks that no number is missing and, at the end of
 * the journal, that the house's balances are the sums of all transfers; `depth` says what else is checked. Throws when D1
 * fails.
 */
export async function scanJournal(
  { database, kinds }: Ledger,
  position: JournalPosition,
  count: number,
  depth: JournalDepth,
): Promise<JournalSlice> {
  const { after } = position;
  const isNew = depth === 'new';
  const { rows, duration_ms } = await readBatch(database, [
    composeEnds(),
    composeMoved(after, count, 'house'),
    composeHouse(),
    depth === 'sums' ? null : composeUnexplained(kinds, after, count),
    isNew ? composeFilledOrders(after, count) : null,
    isNew ? composeMoves(after, count) : null,
    isNew ? composePayments(after, count) : null,
  ]);
  const [ends, moved, house, [unexplained], orders, moves, payments] = rows;
  const { first, head: newest } = onlyRow(ends);
  const head = newest ?? 0;
  const to = Math.max(after, Math.min(after + count, head));
  const next = { after: to, house: addSums(position.house, readMoved(moved)) };
  const transfers = moved.reduce((sum, row) => sum + row.transfers, 0);
  const isAtEnd = next.after >= head;
  const compared = isAtEnd ? judgeBalances(compareSums(next.house, house)) : { findings: [], differences: {} };
  const housed = isAtEnd ? house.length : 0;
  return {
    ...NOTHING,
    next,
    checked: {
      journal_has_no_gap: transfers,
      ...(isAtEnd && { balances_match_transfers: housed, balances_above_floor: housed }),
      ...(isNew && { rounding_favours_house: orders.length }),
    },
    findings: [
      ...(transfers < to - after ? await readGaps(database, after, to) : []),
      ...findEnds(after, isNew ? after === 0 : isAtEnd, first, head),
      ...(unexplained ? readExamples('records_match_transfers', unexplained.examples) : []),
      ...(unexplained ? readExamples('withdrawals_paid_once', unexplained.payments) : []),
      ...compared.findings,
      ...judgeRounding(orders),
    ],
    differences: compared.differences,
    untied: unexplained ? readUntied(unexplained.assets) : [],
    isAtEnd,
    house,
    orders,
    moves,
    payments,
    duration_ms,
  };
}

/** Reads which numbers are missing. A missing number stays missing, so this may be a transaction of its own. */
async function readGaps(database: D1Database, after: number, to: number): Promise<Finding[]> {
  const { rows } = await readBatch(database, [composeGaps(after, to)]);
  return readExamples('journal_has_no_gap', onlyRow(rows[0]).examples);
}

function gap(example: Record<string, string>): Finding {
  return { invariant: 'journal_has_no_gap', example };
}

/** Reports a number below 1, once in a scan, and a journal that ends before the number read last. */
function findEnds(after: number, isOnce: boolean, first: number | null, head: number): Finding[] {
  if (head < after) return [gap({ after: String(head), next: `none up to ${after}` })];
  return isOnce && first !== null && first < 1 ? [gap({ after: 'the beginning', next: String(first) })] : [];
}
