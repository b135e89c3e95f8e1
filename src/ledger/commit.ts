import type { BatchItem } from 'drizzle-orm/batch';
import { logEvent } from '../platform/log.ts';
import { formatAmount } from '../money/amounts.ts';
import { type Asset, assets, scaleOf } from '../money/assets.ts';
import type { Database } from './database.ts';
import { classifyFault, messageOfFault } from './database-fault.ts';
import { type Transfer, house } from './transfers.ts';

/** The guards of the database that refuse a batch, by the names that their triggers give. */
const guards = [
  'key_revoked',
  'key_expired',
  'account_frozen',
  'trading_halted',
  'price_overtaken',
  'deposit_settled',
  'deposit_unchanged',
  'totp_step_used',
  'withdrawals_suspended',
  'totp_required',
  'address_not_allowlisted',
  'daily_limit_exceeded',
  'review_required',
  'withdrawal_settled',
  'violation_stands',
  'violation_cleared',
] as const;

export type Guard = (typeof guards)[number];

/** How a batch ended. Only `unknown` leaves open whether it took effect. */
export type CommitOutcome =
  | { readonly kind: 'committed' }
  /** The record is there already: an earlier write of the same id landed. */
  | { readonly kind: 'exists' }
  /** A ledger account would have gone below its floor. */
  | { readonly kind: 'floor'; readonly account: string; readonly asset: Asset }
  /** `figure` is the number that the guard gives with its refusal, where it gives one. */
  | { readonly kind: 'guarded'; readonly guard: Guard; readonly figure?: bigint }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'unknown'; readonly cause: string };

const FLOOR = /ledger: floor (\S+) ([A-Z]+)/;
const EXISTS = /guard: \w[\w ]* exists/;
const BEYOND_64_BITS = /cannot store REAL value in INTEGER column balances\.amount/;
const GUARD = /guard: ([a-z]+(?:_[a-z]+)+)(?: (\d+))?/;

/**
 * Reads what D1 said when it did not commit `transfers`. Every text stands in the migrations, in a RAISE, but that of a
 * balance beyond 64 bits: it is met before any trigger.
 */
export function readFailure(error: unknown, transfers: readonly Transfer[] = []): CommitOutcome {
  // A mistake of ours never reached the database, and must not look like an open outcome.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) throw error;
  const message = messageOfFault(error);
  const [, account, asset] = FLOOR.exec(message) ?? [];
  if (account !== undefined && asset !== undefined && asset in assets) {
    return { kind: 'floor', account, asset: asset as Asset };
  }
  const [, name, figure] = GUARD.exec(message) ?? [];
  const guard = guards.find((known) => known === name);
  if (guard) return { kind: 'guarded', guard, ...(figure !== undefined && { figure: BigInt(figure) }) };
  if (EXISTS.test(message)) return { kind: 'exists' };
  if (BEYOND_64_BITS.test(message)) {
    // So far down is below every floor, and only the house's own balances can come near it.
    const deepest = transfers.find(({ debit }) => debit === house.custody || debit === house.liquidity);
    if (deepest) return { kind: 'floor', account: deepest.debit, asset: deepest.asset };
  }
  // Any other constraint is a bug of ours, not an outcome: nothing was committed and no answer fits.
  if (message.includes('SQLITE_CONSTRAINT')) throw new Error(`the database refused a batch: ${message}`);
  return classifyFault(error) === 'overloaded' ? { kind: 'overloaded' } : { kind: 'unknown', cause: message };
}

/**
 * Writes records, all or nothing, in one round trip. A record that names its transfers moves its money by the database's
 * own triggers: this is the only way money moves. `transfers` says what these records move, and each leaves a line in
 * the log. It never throws for what D1 answers; a lost connection is `unknown`, and the caller must look before it
 * writes again.
 */
export async function commit(
  database: Database,
  records: readonly [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]],
  transfers: readonly Transfer[] = [],
): Promise<CommitOutcome> {
  const [first, ...rest] = records;
  try {
    await database.batch([first, ...rest]);
  } catch (error) {
    const outcome = readFailure(error, transfers);
    if (outcome.kind === 'unknown') logTransfers('money_perhaps_moved', transfers);
    return outcome;
  }
  logTransfers('money_moved', transfers);
  return { kind: 'committed' };
}

function logTransfers(event: 'money_moved' | 'money_perhaps_moved', transfers: readonly Transfer[]): void {
  for (const { kind, reference, debit, credit, asset, amount } of transfers) {
    logEvent(event, { kind, reference, debit, credit, asset, amount: formatAmount(amount, scaleOf(asset)) });
  }
}
