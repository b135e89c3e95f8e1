import { rootOf } from '../platform/log.ts';

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

/**
 * Whether D1 itself failed, as opposed to SQLite refusing the statement.
 */
export function isDatabaseFault(error: unknown): boolean {
  const message = messageOfFault(error);
  return message.startsWith('D1_') && !message.includes('SQLITE_');
}

/** Tells from an error of D1 whether the call was rejected or its outcome is unknown. */
export function classifyFault(error: unknown): DatabaseFault {
  return REJECTED.test(messageOfFault(error)) ? 'overloaded' : 'unknown';
}
