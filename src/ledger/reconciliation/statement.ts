/** One statement of a batch, with its values in the order of their placeholders. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | number)[];
}

/** Whole accounts: those whose ids are at least one text, and below another. */
export interface AccountRange {
  readonly from: string;
  readonly before: string;
}

/** The next records of one kind of one account. */
export interface PartOfAccount {
  readonly accountId: string;
  /** The id of the last record before the part. */
  readonly after: string;
  readonly rows: number;
}

export type Range = AccountRange | PartOfAccount;

/** The rows of a table in a range, as a table in parentheses; its placeholders are the first of the statement. */
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

/** What D1 said of a batch: the rows of each statement, and how long all of them took. */
export interface BatchOfRows {
  readonly rows: readonly (readonly unknown[])[];
  readonly duration_ms: number;
}

/** Runs statements in one transaction. Throws when D1 fails. */
export async function readBatch(database: D1Database, statements: readonly Statement[]): Promise<BatchOfRows> {
  const results = await database.batch(statements.map(({ text, values }) => database.prepare(text).bind(...values)));
  return {
    rows: results.map(({ results: rows }) => rows),
    duration_ms: results.reduce((sum, { meta }) => sum + meta.duration, 0),
  };
}

/** The only row of a statement that gives one. */
export function onlyRow<Row>(rows: readonly Row[] | undefined): Row {
  const [row] = rows ?? [];
  if (row === undefined) throw new Error('a statement of one row gave none');
  return row;
}
