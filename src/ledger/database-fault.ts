/**
 * What a failed call of D1 means for the caller. `overloaded`: D1 rejected it and nothing happened. `unknown`: it may
 * have taken effect; the caller must read to know.
 */
export type DatabaseFault = 'overloaded' | 'unknown';

/** Messages of D1 when it rejects a query without running it. */
const REJECTED = /overloaded|too many requests queued|requests queued for too long|exceeded its concurrency/i;

/**
 * The message of a D1 error without the statement's parameters. Drizzle wraps the error in another whose message
 * contains the parameters, and these must not be logged.
 */
export function messageOfFault(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return root instanceof Error ? root.message : 'not an error';
}

/** An account that is on its way to another ledger, for a moment: neither of the two can be read for it. */
export class AccountOnItsWay extends Error {
  override readonly name = 'AccountOnItsWay';
}

/**
 * Whether D1 itself failed, as opposed to SQLite refusing the statement. For a read: the database was not reachable, or
 * could not answer for an account that is on its way or has just left.
 */
export function isDatabaseFault(error: unknown): boolean {
  if (error instanceof AccountOnItsWay) return true;
  const message = messageOfFault(error);
  if (message.includes('guard: account_moved')) return true;
  return message.startsWith('D1_') && !message.includes('SQLITE_');
}

/** Tells from an error of D1 whether the call was rejected or its outcome is unknown. */
export function classifyFault(error: unknown): DatabaseFault {
  return REJECTED.test(messageOfFault(error)) ? 'overloaded' : 'unknown';
}
