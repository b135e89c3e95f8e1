import type { SQL } from 'drizzle-orm';
import type { Counts, Finding } from './invariants.ts';
import type { Tail } from './tail.ts';

/** The key of the last row that a check has looked at: every table that is checked has a key of two texts. */
export type Cursor = readonly [string, string];

/** Before the first row. */
export const BEGINNING: Cursor = ['', ''];

/** The part of a table that one step looks at: at most `rows` rows after `after`. */
export interface Slice {
  readonly after: Cursor;
  readonly rows: number;
  /** The pass whose sums count. */
  readonly pass: number;
}

/** What a slice showed. */
export interface Judgement {
  /** Where the next slice begins; `undefined` after the last row. */
  readonly next: Cursor | undefined;
  readonly checked: Counts;
  readonly findings: readonly Finding[];
  /** By how many atoms balances differ from their transfers, per asset, where the check compares them. */
  readonly differences?: Readonly<Record<string, bigint>>;
}

/**
 * One walk over one table. `query` is a single statement that reads the slice together with all that it is held
 * against; `judge` is pure. A step runs the queries of all checks in one transaction.
 */
export interface Check<Row = never> {
  readonly name: string;
  query(slice: Slice): SQL;
  judge(rows: readonly Row[], slice: Slice, tail: Tail): Judgement;
}

/** The key after a slice, if it was a full one. */
export function cursorAfter<Row>(rows: readonly Row[], slice: Slice, keyOf: (row: Row) => Cursor): Cursor | undefined {
  const last = rows.at(-1);
  return last !== undefined && rows.length >= slice.rows ? keyOf(last) : undefined;
}
