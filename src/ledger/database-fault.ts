/**
 * What a failed call of D1 means for the caller. `overloaded`: it was turned away and nothing happened.
 * `unknown`: it may have taken effect, and only a look tells.
 */
export type DatabaseFault = 'overloaded' | 'unknown';

/** Texts with which D1 turns a query away before running it. */
const TURNED_AWAY = /overloaded|too many requests queued|requests queued for too long|exceeded its concurrency/i;

/**
 * The message of an error of D1 without the statement's parameters: Drizzle wraps the error in one whose own text
 * holds them, and they must not reach a log.
 */
export function messageOfFault(error: unknown): string {
  const root = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return root instanceof Error ? root.message : 'not an error';
}

/** Whether an error is D1's own, with no decided meaning: a read that throws it found the database out of reach. */
export function isDatabaseFault(error: unknown): boolean {
  const message = messageOfFault(error);
  return message.startsWith('D1_') && !message.includes('SQLITE_');
}

/** Reads from an error of D1 whether the call was turned away or its outcome is open. */
export function classifyFault(error: unknown): DatabaseFault {
  return TURNED_AWAY.test(messageOfFault(error)) ? 'overloaded' : 'unknown';
}
