import { sql } from 'drizzle-orm';
import type { Asset } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';

/** The ledger accounts of the house, the owner of the exchange's inventory. */
export const house = {
  /** The inventory that orders are filled against. It may be negative down to its floor. */
  liquidity: 'house:liquidity',
  /** What came in from outside less what was paid out, as a negative number. Its floor is the supply cap. */
  custody: 'house:custody',
  /** Amounts and fees of withdrawals that are neither paid nor returned yet. */
  payouts: 'house:payouts',
  /** The fees of completed withdrawals. */
  fees: 'house:fees',
  /** What has left for other ledgers and not come in there, or the other way round: of either sign. */
  transit: 'house:transit',
  /** What open hedges may still spend. */
  hedging: 'house:hedging',
} as const;

/** What the names of venues among the house's accounts begin with. Each is negative while the venue has something. */
export const VENUE_PREFIX = 'house:venue:';

/**
 * One movement of one asset from ledger account `debit` to `credit`; `amount` is positive. The database writes it when
 * its record is written; this copy is for the log and for reading a failure.
 */
export interface Transfer {
  readonly debit: string;
  readonly credit: string;
  readonly asset: Asset;
  readonly amount: Atoms;
  readonly kind: 'order' | 'deposit' | 'withdrawal' | 'settlement' | 'funding' | 'hedge';
  /** The id of the record whose trigger writes it. */
  readonly reference: string;
}

/**
 * SQL for the number of the next transfer, evaluated where the statement runs. A record names it as its own transfer.
 */
export function nextTransfer() {
  return sql<number>`(SELECT coalesce(max(id), 0) + 1 FROM transfers)`;
}
