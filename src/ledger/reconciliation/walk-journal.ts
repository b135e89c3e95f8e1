import { z } from 'zod';
import {
  type EndsRow,
  type GapsRow,
  type UnexplainedRow,
  composeEnds,
  composeFilledOrders,
  composeGaps,
  composeHouse,
  composeUnexplained,
} from './compose-journal.ts';
import { type MovedRow, composeMoved, readMoved } from './compose-sums.ts';
import { type Untied, readExamples, readUntied } from './compose-ties.ts';
import type { Counts, Finding } from './invariants.ts';
import { type Differences, judgeBalances } from './judge-balance.ts';
import { type FilledOrder, judgeRounding } from './order-records.ts';
import { onlyRow, readBatch } from './statement.ts';
import { type BalanceRow, Sums, addSums, compareSums } from './sums.ts';

/** How far a walk over the journal has come, and what it adds up to for the house's own balances. */
export const JournalPosition = z.object({
  /** The number of the newest transfer that was read. */
  after: z.int(),
  house: Sums,
});

export type JournalPosition = z.output<typeof JournalPosition>;

/** Before the first transfer. */
export const JOURNAL_START: JournalPosition = { after: 0, house: {} };

/** What a slice showed. */
export interface WalkedJournal {
  readonly next: JournalPosition;
  readonly checked: Counts;
  readonly findings: readonly Finding[];
  readonly differences: Differences;
  readonly untied: Untied;
  /** The highest number of the journal. */
  readonly head: number;
  /** Whether the slice reached it, so that the house's balances were compared with all that moved them. */
  readonly isAtEnd: boolean;
  readonly house: readonly BalanceRow[];
  readonly duration_ms: number;
}

/**
 * Walks over the next `count` numbers of the journal in one transaction: no number is missing, each transfer is one that its record
 * commands, and at the journal's end the house's balances are what all of them come to. `isNew` says whether they are
 * read for the first time: then the rounding of their orders is judged exactly. Throws when D1 fails.
 */
export async function walkJournal(
  database: D1Database,
  position: JournalPosition,
  count: number,
  isNew: boolean,
): Promise<WalkedJournal> {
  const { after } = position;
  const { rows, duration_ms } = await readBatch(database, [
    composeEnds(),
    composeUnexplained(after, count),
    composeMoved(after, count, 'house'),
    composeHouse(),
    ...(isNew ? [composeFilledOrders(after, count)] : []),
  ]);
  const { first, head: newest } = onlyRow(rows[0] as EndsRow[] | undefined);
  const unexplained = onlyRow(rows[1] as UnexplainedRow[] | undefined);
  const moved = (rows[2] ?? []) as MovedRow[];
  const house = (rows[3] ?? []) as BalanceRow[];
  const orders = (rows[4] ?? []) as FilledOrder[];
  const head = newest ?? 0;
  const to = Math.max(after, Math.min(after + count, head));
  const next = { after: to, house: addSums(position.house, readMoved(moved)) };
  const transfers = moved.reduce((sum, row) => sum + row.transfers, 0);
  const isAtEnd = next.after >= head;
  const compared = isAtEnd ? judgeBalances(compareSums(next.house, house)) : { findings: [], differences: {} };
  const housed = isAtEnd ? house.length : 0;
  return {
    next,
    checked: {
      journal_has_no_gap: transfers,
      ...(isAtEnd && { balances_match_transfers: housed, balances_above_floor: housed }),
      ...(isNew && { rounding_favours_house: orders.length }),
    },
    findings: [
      ...(transfers < to - after ? await readGaps(database, after, to) : []),
      ...findEnds(after, first, head),
      ...readExamples('records_match_transfers', unexplained.examples),
      ...readExamples('withdrawals_paid_once', unexplained.payments),
      ...compared.findings,
      ...judgeRounding(orders),
    ],
    differences: compared.differences,
    untied: readUntied(unexplained.assets),
    head,
    isAtEnd,
    house,
    duration_ms,
  };
}

/** Where numbers are missing. What is missing once is missing for good, so a look of its own shows the same. */
async function readGaps(database: D1Database, after: number, to: number): Promise<Finding[]> {
  const { rows } = await readBatch(database, [composeGaps(after, to)]);
  return readExamples('journal_has_no_gap', onlyRow(rows[0] as GapsRow[] | undefined).examples);
}

function gap(example: Record<string, string>): Finding {
  return { invariant: 'journal_has_no_gap', example };
}

/** Numbers from the outset are looked at once in a walk, and so is a journal that ends before where it was read to. */
function findEnds(after: number, first: number | null, head: number): Finding[] {
  if (head < after) return [gap({ after: String(head), next: `none up to ${after}` })];
  return after === 0 && first !== null && first < 1 ? [gap({ after: 'the beginning', next: String(first) })] : [];
}
