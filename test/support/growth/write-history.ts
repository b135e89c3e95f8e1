import { readTriggers, runWithout } from '../db/triggers.ts';
import { type Owners, type RecordTable, composeHistory, historyTables, rowsOf } from './compose-history.ts';
import { sql } from '../db/sql.ts';

/** How many records one batch writes. */
const CHUNK = 50_000;

/** What was written: the rows of all tables, and the size of the database afterwards, in bytes. */
export interface HistorySize {
  readonly rows: number;
  readonly size: number;
}

/** The number of the next record, so that no two records share an id. */
let next = 0;

/**
 * Writes records of one kind, spread over two years unless told, with their transfers and the resulting balances: the
 * same rows that requests would have left, and correct for the reconciliation. It bypasses the triggers, which check
 * every written row. With them a million rows would take minutes, and they are not tested here.
 */
export async function writeHistory(
  table: RecordTable,
  owners: Owners,
  count: number,
  span_ms?: number,
): Promise<HistorySize> {
  const triggers = (await readTriggers()).filter(({ tbl_name }) => historyTables.includes(tbl_name));
  // From the beginning of a turn, so that every account buys before it sells.
  const first = Math.ceil(next / (2 * owners.count)) * 2 * owners.count;
  const history = { table, owners, first, end: first + count, ...(span_ms !== undefined && { span_ms }) };
  let size = 0;
  for (let from = first; from < history.end; from += CHUNK) {
    const to = Math.min(from + CHUNK, history.end);
    const head = (await sql('SELECT max(id) AS head FROM transfers').first<number>('head')) ?? 0;
    const statements = composeHistory(history, from, to, head).map((statement) => sql(statement));
    const results = await runWithout(triggers, statements);
    size = Math.max(...results.map(({ meta }) => meta.size_after));
  }
  next = history.end;
  return { rows: count * rowsOf(table), size };
}
