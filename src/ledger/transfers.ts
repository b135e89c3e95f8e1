import { sql } from 'drizzle-orm';
import type { Asset } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';
import type { Database } from './database.ts';
import { bindPrepared, prepareOnce } from './prepare-once.ts';
import { transfers } from './schema.ts';

/** The house's own ledger accounts. */
export const house = {
  /** The inventory that orders fill from; may go short down to its floor. */
  liquidity: 'house:liquidity',
  /** The outside world: negative by what the house owes; its floor is the supply cap. */
  custody: 'house:custody',
  /** Withdrawals in flight. */
  payouts: 'house:payouts',
  /** What was earned. */
  fees: 'house:fees',
} as const;

/** One movement of one asset from one ledger account to another; `amount` is positive. */
export interface Transfer {
  readonly debit: string;
  readonly credit: string;
  readonly asset: Asset;
  readonly amount: Atoms;
  readonly kind: 'order' | 'deposit' | 'withdrawal' | 'settlement';
  /** The id of the record that explains it. */
  readonly reference: string;
  readonly ts_ms: number;
}

/** The number that the next transfer takes, as it is where the statement runs. */
export function nextTransfer() {
  return sql<number>`(SELECT coalesce(max(id), 0) + 1 FROM transfers)`;
}

/**
 * The statement that writes a transfer. Its number is the next one of the journal, taken where it is written; the
 * database moves both balances in the same breath, and refuses the whole batch below a floor.
 */
export function insertTransfer(database: Database, transfer: Transfer) {
  return bindPrepared(insertNext(database), { ...transfer });
}

const insertNext = prepareOnce((database) =>
  database
    .insert(transfers)
    .values({
      id: nextTransfer(),
      debit: sql.placeholder('debit'),
      credit: sql.placeholder('credit'),
      asset: sql.placeholder('asset'),
      amount: sql.placeholder('amount'),
      kind: sql.placeholder('kind'),
      reference: sql.placeholder('reference'),
      ts: sql.placeholder('ts_ms'),
    })
    .prepare(),
);
