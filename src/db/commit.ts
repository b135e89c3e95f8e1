import { rootOf, logEvent } from '../platform/log.ts';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import { type Asset, assets, scaleOf } from '../money/assets.ts';
import type { Database } from './database.ts';
import { type Transfer, house } from './transfers.ts';

/**
 * What a failed call of D1 means for the caller. `overloaded`: D1 rejected it and nothing happened. `unknown`: it may
 * have taken effect; the caller must read to know.
 */
export type DatabaseFault = 'overloaded' | 'unknown';

/** Messages of D1 when it rejects a query without running it. */
const REJECTED = /overloaded|too many requests queued|requests queued for too long|exceeded its concurrency/i;

/** The message of an error of D1, without the statement's parameters. */
export function messageOfFault(error: unknown): string {
  const root = rootOf(error);
  return root instanceof Error ? root.message : 'not an error';
}

/** Whether D1 itself failed, as opposed to SQLite refusing the statement. */
export function isDatabaseFault(error: unknown): boolean {
  const message = messageOfFault(error);
  return message.startsWith('D1_') && !message.includes('SQLITE_');
}

/** Tells from an error of D1 whether the call was rejected or its outcome is unknown. */
export function classifyFault(error: unknown): DatabaseFault {
  return REJECTED.test(messageOfFault(error)) ? 'overloaded' : 'unknown';
}

/** The guards that can refuse a batch: the names that follow `guard:` in the triggers of the migrations. */
const guards = [
  'client_order_id_reused',
  'key_revoked',
  'key_expired',
  'account_frozen',
  'account_recovered',
  'account_has_holder',
  'holder_not_invited',
  'recovery_not_allowed',
  'too_many_sessions',
  'trading_halted',
  'price_overtaken',
  'deposit_settled',
  'deposit_unchanged',
  'second_watcher_needed',
  'quarantine_decided',
  'totp_step_used',
  'totp_secret_replaced',
  'withdrawals_suspended',
  'totp_required',
  'second_factor_needed',
  'too_many_keys',
  'too_many_addresses',
  'address_not_allowlisted',
  'daily_limit_exceeded',
  'review_required',
  'withdrawal_settled',
  'receipt_refused',
  'settings_overtaken',
  'violation_stands',
  'violation_cleared',
  'two_people_needed',
  'proposed_by_oneself',
  'proposal_decided',
  'proposal_expired',
  'too_many_proposals',
  'recovery_proposed',
  'too_many_endpoints',
  'hedge_open',
  'hedge_ended',
  'hedging_halted',
  'venue_has_too_little',
] as const;

export type Guard = (typeof guards)[number];

/** How a batch ended. Only `unknown` leaves open whether it took effect. */
export type CommitOutcome =
  | { readonly kind: 'committed' }
  /** The record exists already: an earlier write with the same id was committed. */
  | { readonly kind: 'exists' }
  /** A ledger account would have gone below its floor, or the inventory above its ceiling; `balance` is what it had, where a transfer was refused. */
  | { readonly kind: 'floor'; readonly account: string; readonly asset: Asset; readonly balance?: Atoms }
  /** A guard refused the batch. `figure` is the number in its message, for guards that give one. */
  | { readonly kind: 'guarded'; readonly guard: Guard; readonly figure?: bigint }
  | { readonly kind: 'overloaded' }
  | { readonly kind: 'unknown'; readonly cause: string };

const FLOOR = /ledger: (?:floor|ceiling) (\S+) ([A-Z]+)(?: at (-?\d+))?/;
const EXISTS = /guard: \w[\w ]* exists/;
const BEYOND_64_BITS = /cannot store REAL value in INTEGER column balances\.amount/;
const GUARD = /guard: ([a-z]+(?:_[a-z]+)+)(?: (\d+))?/;

/**
 * Reads the outcome from the error of a batch that should have moved `transfers`. The messages come from the RAISE of a
 * trigger in the migrations. One does not: SQLite itself refuses a balance beyond 64 bits before any trigger runs.
 * Throws for an error that is a bug, such as a constraint that no trigger explains.
 */
export function readFailure(error: unknown, transfers: readonly Transfer[] = []): CommitOutcome {
  // A bug in this code: the batch was not sent, so the outcome is not unknown.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) throw error;
  const message = messageOfFault(error);
  const [, account, asset, balance] = FLOOR.exec(message) ?? [];
  if (account !== undefined && asset !== undefined && asset in assets) {
    const had = { ...(balance !== undefined && { balance: BigInt(balance) }) };
    return { kind: 'floor', account, asset: asset as Asset, ...had };
  }
  const [, name, figure] = GUARD.exec(message) ?? [];
  const guard = guards.find((known) => known === name);
  if (guard) return { kind: 'guarded', guard, ...(figure !== undefined && { figure: BigInt(figure) }) };
  if (EXISTS.test(message)) return { kind: 'exists' };
  if (BEYOND_64_BITS.test(message)) {
    // Such a balance is below every floor, and only these two of the house can get near it.
    const deepest = transfers.find(({ debit }) => debit === house.custody || debit === house.liquidity);
    if (deepest) return { kind: 'floor', account: deepest.debit, asset: deepest.asset };
  }
  // Any other constraint is a bug: nothing was committed, and no outcome describes it.
  if (message.includes('SQLITE_CONSTRAINT')) throw new Error(`the database refused a batch: ${message}`);
  return classifyFault(error) === 'overloaded' ? { kind: 'overloaded' } : { kind: 'unknown', cause: message };
}

/**
 * Writes records in one batch, all of them or none, in one round trip. The triggers of a record write its transfers;
 * money moves in no other way. `transfers` repeats what these records move, for the log. A refusal or a lost connection
 * is a value, not an exception. After `unknown` the caller must look whether the record exists before it writes again.
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

export function logTransfers(event: 'money_moved' | 'money_perhaps_moved', transfers: readonly Transfer[]): void {
  for (const { kind, reference, debit, credit, asset, amount } of transfers) {
    logEvent(event, { kind, reference, debit, credit, asset, amount: formatAmount(amount, scaleOf(asset)) });
  }
}
