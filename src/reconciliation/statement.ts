import { withDeadline } from '../platform/deadline.ts';

/** A batch takes milliseconds. One that is not answered must not hold up the keeper, which reads it again later. */
const READ_DEADLINE_MS = 10_000;

/** One statement of a batch, with its values in the order of their placeholders. `row` only says what its rows are. */
export interface Statement<Row = unknown> {
  readonly text: string;
  readonly values: readonly (string | number)[];
  readonly row?: Row;
}

const texts = new Map<string, string>();

/**
 * A statement's text, composed at its first use under this name. A pass sends the same few texts thousands of times, and
 * composing one takes as long as the database takes for it. Blanks that only indent it are not sent.
 */
export function composeOnce(name: string, compose: () => string): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const text = compose().replaceAll(/\n\s*/g, ' ').trim();
  texts.set(name, text);
  return text;
}

/** Whole accounts: those with an id of at least `from` and below `before`. */
export interface AccountRange {
  readonly from: string;
  readonly before: string;
}

/** The next `rows` records of one kind of one account. */
export interface PartOfAccount {
  readonly accountId: string;
  /** The id of the last record before the part. */
  readonly after: string;
  readonly rows: number;
}

export type Range = AccountRange | PartOfAccount;

/** A subquery, in parentheses, for the rows of a table in a range. It uses the first placeholders of the statement. */
export function selectRange(table: string, range: Range): Statement {
  return 'rows' in range
    ? {
        text: `(SELECT * FROM ${table} WHERE account_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3)`,
        values: [range.accountId, range.after, range.rows],
      }
    : {
        text: `(SELECT * FROM ${table} WHERE account_id >= ?1 AND account_id < ?2)`,
        values: [range.from, range.before],
      };
}

/** The most terms that D1 allows in a compound SELECT. */
const MAX_TERMS = 5;

/** A compound SELECT of any number of terms: D1 counts those of a subquery apart. */
export function unionAll(terms: readonly string[]): string {
  if (terms.length <= MAX_TERMS) return terms.join(' UNION ALL ');
  const [head, rest] = [terms.slice(0, MAX_TERMS), terms.slice(MAX_TERMS)];
  return `SELECT * FROM (${head.join(' UNION ALL ')}) UNION ALL SELECT * FROM (${unionAll(rest)})`;
}

type RowsOf<Statements> = {
  readonly [At in keyof Statements]: readonly (Statements[At] extends Statement<infer Row> | null ? Row : never)[];
};

/**
 * Runs statements in one transaction; `null` stands for one that is not run, and has no rows. Returns the rows of each,
 * and the time that D1 reports for all of them. Throws when D1 fails, or does not answer for 10 s.
 */
export async function readBatch<const Statements extends readonly (Statement | null)[]>(
  database: D1Database,
  statements: Statements,
): Promise<{ readonly rows: RowsOf<Statements>; readonly duration_ms: number }> {
  const run = statements.filter((one) => one !== null);
  const prepared = run.map(({ text, values }) => database.prepare(text).bind(...values));
  const results = await withDeadline(READ_DEADLINE_MS, () => database.batch(prepared));
  const rows = statements.map((one) => (one === null ? [] : (results[run.indexOf(one)]?.results ?? [])));
  return {
    rows: rows as unknown as RowsOf<Statements>,
    duration_ms: results.reduce((sum, { meta }) => sum + meta.duration, 0),
  };
}

/** The row of a statement that always returns one row. Throws when there is none. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement of one row gave none');
  return row;
}
