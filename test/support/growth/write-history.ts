import { env } from '../runtime/test-env.ts';
import { readTriggers, runWithout } from '../ledger/triggers.ts';
import { type Owners, composeHistory, historyTables, rowsOf } from './compose-history.ts';
import type { RecordTable } from './record-kinds.ts';

/** How many records one batch has. */
const CHUNK = 50_000;

/** What was written: rows of all tables together, and how large the database is with them, in bytes. */
export interface Written {
  readonly rows: number;
  readonly size: number;
}

/** The number of the next record, so that none has the id of another, whosoever it is. */
let next = 0;

/**
 * Writes so many records of one kind, spread over two years, with their transfers and what these do to the balances:
 * the same rows that requests would have left, whole to the reconciliation. It bypasses the triggers, which check every
 * written row: with them a million rows would take minutes, and they are not tested here.
 */
export async function writeHistory(table: RecordTable, owners: Owners, count: number): Promise<Written> {
  const triggers = (await readTriggers()).filter(({ tbl_name }) => historyTables.includes(tbl_name));
  // From the beginning of a round, so that everybody buys before selling.
  const first = Math.ceil(next / (2 * owners.count)) * 2 * owners.count;
  const history = { table, owners, first, end: first + count };
  let size = 0;
  for (let from = first; from < history.end; from += CHUNK) {
    const to = Math.min(from + CHUNK, history.end);
    const head = (await env.DB.prepare('SELECT max(id) AS head FROM transfers').first<number>('head')) ?? 0;
    const statements = composeHistory(history, from, to, head).map((statement) => env.DB.prepare(statement));
    const results = await runWithout(triggers, statements);
    size = Math.max(...results.map(({ meta }) => meta.size_after));
  }
  next = history.end;
  return { rows: count * rowsOf(table), size };
}
