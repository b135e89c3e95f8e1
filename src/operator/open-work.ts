import { sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { timeOfRecord } from '../db/record-id.ts';

/** Open records are counted up to here: more are shown as this many, so that a scrape reads a bounded number of rows. */
export const MOST_COUNTED = 500;

/** What a scrape reads of a database. */
export interface OpenWork {
  readonly tradingHalted: number;
  readonly withdrawalsHalted: number;
  readonly violations: number;
  readonly newestTransfer: number;
  /** The size of the database, of which D1 allows 10 GB. */
  readonly databaseBytes: number;
  /** By state: how many there are, and when the oldest was committed or reported, in milliseconds. */
  readonly withdrawals: Readonly<Record<'PENDING' | 'PROCESSING', OpenState>>;
  /** Payouts that the custodian holds, of the oldest that are with it, and since when Bureau knows of the oldest. */
  readonly heldPayouts: OpenState;
  readonly deposits: Readonly<Record<'PENDING' | 'QUARANTINED', OpenState>>;
}

/** How many records are in a state, and since when the oldest is. */
export interface OpenState {
  readonly count: number;
  readonly oldest_ms: number | null;
}

/** A count of the first `MOST_COUNTED` rows of an index in which a column is not NULL, and the oldest of them. */
function countOpen(rows: string, column: string) {
  return sql.raw(
    `(SELECT json_object('count', count(${column}), 'oldest_ms', min(${column})) FROM (${rows} LIMIT ${MOST_COUNTED}))`,
  );
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

interface OpenRow {
  readonly halts: string;
  readonly violations: number;
  readonly newest: number;
  readonly withdrawalsPending: string;
  readonly withdrawalsProcessing: string;
  readonly heldPayouts: string;
  readonly depositsPending: string;
  readonly depositsQuarantined: string;
}

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
    ${openWithdrawals('PENDING', 'committed_at')} AS withdrawalsPending,
    ${openWithdrawals('PROCESSING', 'committed_at')} AS withdrawalsProcessing,
    ${openWithdrawals('PROCESSING', 'held_since')} AS heldPayouts,
    ${openDeposits('PENDING')} AS depositsPending, ${openDeposits('QUARANTINED')} AS depositsQuarantined`);
  const [row] = results as unknown as OpenRow[];
  if (!row) throw new Error('a statement without FROM gave no row');
  const [tradingHalted, withdrawalsHalted] = JSON.parse(row.halts) as [number, number];
  return {
    tradingHalted,
    withdrawalsHalted,
    violations: row.violations,
    newestTransfer: row.newest,
    databaseBytes: meta.size_after,
    withdrawals: { PENDING: readState(row.withdrawalsPending), PROCESSING: readState(row.withdrawalsProcessing) },
    heldPayouts: readState(row.heldPayouts),
    deposits: { PENDING: readState(row.depositsPending), QUARANTINED: readState(row.depositsQuarantined) },
  };
}

/**
 * What is open in several ledgers together: a halt counts that any of them has. Throws without any ledger. Pure.
 */
export function sumOpenWork(all: readonly OpenWork[]): OpenWork {
  return all.reduce((one, other) => ({
    tradingHalted: Math.max(one.tradingHalted, other.tradingHalted),
    withdrawalsHalted: Math.max(one.withdrawalsHalted, other.withdrawalsHalted),
    violations: one.violations + other.violations,
    newestTransfer: one.newestTransfer + other.newestTransfer,
    databaseBytes: one.databaseBytes + other.databaseBytes,
    withdrawals: {
      PENDING: sumStates(one.withdrawals.PENDING, other.withdrawals.PENDING),
      PROCESSING: sumStates(one.withdrawals.PROCESSING, other.withdrawals.PROCESSING),
    },
    heldPayouts: sumStates(one.heldPayouts, other.heldPayouts),
    deposits: {
      PENDING: sumStates(one.deposits.PENDING, other.deposits.PENDING),
      QUARANTINED: sumStates(one.deposits.QUARANTINED, other.deposits.QUARANTINED),
    },
  }));
}

function sumStates(one: OpenState, other: OpenState): OpenState {
  const oldest = [one.oldest_ms, other.oldest_ms].filter((time_ms) => time_ms !== null);
  return { count: one.count + other.count, oldest_ms: oldest.length === 0 ? null : Math.min(...oldest) };
}
