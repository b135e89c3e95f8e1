import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { timeOfRecord } from '../db/record-id.ts';

/** Open records are counted up to here: more are shown as this many, so that a scrape reads a bounded number of rows. */
export const MOST_COUNTED = 500;

/** What a scrape reads of a database. */
export interface OpenWork {
  readonly isTradingHalted: boolean;
  readonly areWithdrawalsHalted: boolean;
  readonly violations: number;
  readonly newestTransfer: number;
  /** The size of the database, of which D1 allows 10 GB. */
  readonly databaseBytes: number;
  readonly states: Readonly<Record<keyof typeof openRecords, OpenState>>;
}

/** How many records are in a state, and when the oldest was committed or reported, in milliseconds. */
export interface OpenState {
  readonly count: number;
  readonly oldest_ms: number | null;
}

/** A count of the first `MOST_COUNTED` rows of an index in which a column is not NULL, and the oldest of them. */
function countOpen(rows: string, column: string) {
  return `(SELECT json_object('count', count(${column}), 'oldest_ms', min(${column})) FROM (${rows} LIMIT ${MOST_COUNTED}))`;
}

const openWithdrawals = (status: string, column: 'committed_at' | 'held_since') =>
  countOpen(
    `SELECT id, ${column} FROM withdrawals
     WHERE status IN ('PENDING', 'PROCESSING') AND status = '${status}' ORDER BY id`,
    column,
  );

/** The time of a deposit is the one of its id. */
const openDeposits = (status: string) =>
  countOpen(
    `SELECT id FROM deposits
     WHERE status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum' AND decision IS NULL
       AND status = '${status}' ORDER BY id`,
    'id',
  );

/** By name what is open. Held payouts are those of the oldest with the custodian, by since when Bureau knows of it. */
const openRecords = {
  withdrawalsPending: openWithdrawals('PENDING', 'committed_at'),
  withdrawalsProcessing: openWithdrawals('PROCESSING', 'committed_at'),
  payoutsHeld: openWithdrawals('PROCESSING', 'held_since'),
  depositsPending: openDeposits('PENDING'),
  depositsQuarantined: openDeposits('QUARANTINED'),
} as const;

const names = Object.keys(openRecords) as (keyof typeof openRecords)[];

function readState(text: string): OpenState {
  const { count, oldest_ms: oldest } = JSON.parse(text) as { count: number; oldest_ms: number | string | null };
  const oldest_ms = typeof oldest === 'string' ? timeOfRecord(oldest) : oldest;
  return { count, oldest_ms };
}

/** Reads what is open, in one statement. Throws when D1 fails. */
export async function readOpenWork(database: Database): Promise<OpenWork> {
  const { results, meta } = await database.run(sql`SELECT
    (SELECT json_array(trading_halted, withdrawals_halted) FROM settings) AS halts,
    (SELECT count(*) FROM (SELECT 1 FROM reconciliation_violations WHERE cleared_at IS NULL LIMIT 100)) AS violations,
    (SELECT coalesce(max(id), 0) FROM transfers) AS newest,
    ${sql.raw(names.map((name) => `${openRecords[name]} AS ${name}`).join())}`);
  const [row] = results as unknown as (Record<'violations' | 'newest', number> &
    Record<'halts' | keyof typeof openRecords, string>)[];
  if (!row) throw new Error('a statement without FROM gave no row');
  const [trading, withdrawals] = JSON.parse(row.halts) as [number, number];
  return {
    isTradingHalted: trading === 1,
    areWithdrawalsHalted: withdrawals === 1,
    violations: row.violations,
    newestTransfer: row.newest,
    databaseBytes: meta.size_after,
    states: Object.fromEntries(names.map((name) => [name, readState(row[name])])) as OpenWork['states'],
  };
}

/** What is open in several ledgers together. Pure. */
export function sumStates(all: readonly OpenWork[], name: keyof typeof openRecords): OpenState {
  const states = all.map((work) => work.states[name]);
  const oldest = states.flatMap(({ oldest_ms }) => oldest_ms ?? []);
  const count = states.reduce((sum, state) => sum + state.count, 0);
  return { count, oldest_ms: oldest.length === 0 ? null : Math.min(...oldest) };
}
