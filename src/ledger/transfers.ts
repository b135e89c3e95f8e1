import { sql } from 'drizzle-orm';
import type { Asset } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';

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

/**
 * One movement of one asset from one ledger account to another; `amount` is positive. The database makes it of its
 * record: here it is told, for the log.
 */
export interface Transfer {
  readonly debit: string;
  readonly credit: string;
  readonly asset: Asset;
  readonly amount: Atoms;
  readonly kind: 'order' | 'deposit' | 'withdrawal' | 'settlement';
  /** The id of the record that commands it. */
  readonly reference: string;
}

/** The number that the next transfer takes, as it is where the statement runs: a record names it to move its money. */
export function nextTransfer() {
  return sql<number>`(SELECT coalesce(max(id), 0) + 1 FROM transfers)`;
}
