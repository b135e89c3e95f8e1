/** How often and how long a call is tried. */
export interface RetryLimits {
  /** How often the request of a call is sent at most; by default 5. */
  readonly attempts: number;
  /** The time for one attempt, until its whole answer has arrived; by default 20 s. */
  readonly timeoutMs: number;
  /** The time for the whole call with its waits; by default 60 s. */
  readonly totalMs: number;
}

export const defaultLimits: RetryLimits = { attempts: 5, timeoutMs: 20_000, totalMs: 60_000 };

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/**
 * The wait before the next attempt, in milliseconds: what `Retry-After` asks for, plus a random part of a time that
 * doubles with each attempt, so that many clients do not return at the same moment.
 */
export function waitBeforeRetry(attempts: number, headers: Headers | undefined, random: () => number): number {
  const span = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return readRetryAfter(headers) + random() * span;
}

/** The wait in `Retry-After` (RFC 9110, 10.2.3). A date is compared with the answer's `Date`, not with our clock. */
function readRetryAfter(headers: Headers | undefined): number {
  const told = headers?.get('Retry-After') ?? '';
  if (/^\d+$/.test(told)) return Number(told) * 1_000;
  const wait = Date.parse(told) - Date.parse(headers?.get('Date') ?? '');
  return Number.isNaN(wait) ? 0 : Math.max(0, wait);
}
