import { type SQL, sql } from 'drizzle-orm';
import type { Example, Finding } from './invariants.ts';
import { recordKinds } from './record-kinds.ts';

/** One row of the journal. */
export interface JournalRow {
  readonly id: number;
  readonly kind: string;
  readonly debit: string;
  readonly credit: string;
  readonly asset: string;
  readonly amount: bigint;
  readonly reference: string;
}

/** What transfers come to for one balance. */
export interface BalanceSum {
  readonly atoms: bigint;
  /** The number of the newest of them. */
  readonly lastTransfer: number;
}

/** The transfers that the pass has not counted yet, as far as one step reads. */
export interface Tail {
  /** The number of the last of them, or the one before the first where there are none. */
  readonly end: number;
  readonly count: number;
  sumOf(account: string, asset: string): BalanceSum | undefined;
  transfersOf(reference: string): readonly JournalRow[];
  readonly findings: readonly Finding[];
}

/** A transfer as the query below gives it. */
export interface TailRow extends Omit<JournalRow, 'amount'> {
  readonly amount: string;
  /** Whether a record explains it; `null` for a kind that is not known here. */
  readonly isExplained: 0 | 1 | null;
}

/** Reads at most `count` transfers after number `after`, each with whether its record is there. */
export function selectTail(after: number, count: number): SQL {
  const kinds = recordKinds.map(({ kind, explains }) => sql`WHEN ${kind} THEN ${explains}`);
  return sql`
    SELECT t.id, t.kind, t.debit, t.credit, t.asset, CAST(t.amount AS TEXT) AS amount, t.reference,
      CASE t.kind ${sql.join(kinds, sql` `)} END AS isExplained
    FROM transfers AS t WHERE t.id > ${after} ORDER BY t.id LIMIT ${count}`;
}

/**
 * Makes the tail of its rows: sums per balance, and what is wrong with the journal itself. `first` and `head` are the
 * lowest and the highest number that the journal holds. Pure.
 */
export function readTail(rows: readonly TailRow[], after: number, first: number | null, head: number): Tail {
  const sums = new Map<string, BalanceSum>();
  const byReference = new Map<string, JournalRow[]>();
  const transfers = rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
  const add = (account: string, asset: string, atoms: bigint, id: number) => {
    const key = keyOf(account, asset);
    sums.set(key, { atoms: (sums.get(key)?.atoms ?? 0n) + atoms, lastTransfer: id });
  };
  for (const transfer of transfers) {
    add(transfer.debit, transfer.asset, -transfer.amount, transfer.id);
    add(transfer.credit, transfer.asset, transfer.amount, transfer.id);
    byReference.set(transfer.reference, [...(byReference.get(transfer.reference) ?? []), transfer]);
  }
  return {
    end: rows.at(-1)?.id ?? after,
    count: rows.length,
    sumOf: (account, asset) => sums.get(keyOf(account, asset)),
    transfersOf: (reference) => byReference.get(reference) ?? [],
    findings: [...findGaps(rows, after, first, head), ...findUnexplained(rows)],
  };
}

function keyOf(account: string, asset: string): string {
  return `${account} ${asset}`;
}

function gap(example: Example): Finding {
  return { invariant: 'journal_has_no_gap', example };
}

function findGaps(rows: readonly TailRow[], after: number, first: number | null, head: number): Finding[] {
  const inside = rows.flatMap(({ id }, position) => {
    const before = rows[position - 1]?.id ?? after;
    return id === before + 1 ? [] : [gap({ after: String(before), next: String(id) })];
  });
  // Numbers from the outset are looked at once in a pass, and so is a journal that ends before where it was read to.
  if (after === 0 && first !== null && first < 1) inside.push(gap({ after: 'the beginning', next: String(first) }));
  if (head < after) inside.push(gap({ after: String(head), next: `none up to ${after}` }));
  return inside;
}

/** A transfer of a withdrawal may be explained by its debit, which stands before it, in this tail at the latest. */
function findUnexplained(rows: readonly TailRow[]): Finding[] {
  const explained = new Set(rows.filter((row) => row.isExplained === 1).map(nameOf));
  return rows
    .filter((row) => row.isExplained === 0 && !explained.has(nameOf(row)))
    .map(({ id, kind, debit, credit, reference }) => ({
      invariant: 'records_match_transfers',
      example: { transfer: String(id), kind, debit, credit, reference, fault: 'no record explains it' },
    }));
}

function nameOf({ kind, reference }: TailRow): string {
  return `${kind} ${reference}`;
}
