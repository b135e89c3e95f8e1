/** How long and how often a call is tried. */
export interface RetryLimits {
  /** Sends of one call, the first included; 5 unless told. */
  readonly attempts: number;
  /** Of one attempt, until its whole answer is there; 20 s unless told. */
  readonly timeoutMs: number;
  /** Of the whole call with its waits; 60 s unless told. */
  readonly totalMs: number;
}

export const defaultLimits: RetryLimits = { attempts: 5, timeoutMs: 20_000, totalMs: 60_000 };

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/**
 * The wait before the next attempt, in milliseconds: what the answer asks for, and on top of it a random part of a
 * span that doubles with each attempt, so that many clients do not come back at once.
 */
export function waitBeforeRetry(attempts: number, headers: Headers | undefined, random: () => number): number {
  const span = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
  return readRetryAfter(headers) + random() * span;
}

/** The wait that `Retry-After` asks for (RFC 9110, 10.2.3). A date is read against the answer's own, not our clock. */
function readRetryAfter(headers: Headers | undefined): number {
  const told = headers?.get('Retry-After') ?? '';
  if (/^\d+$/.test(told)) return Number(told) * 1_000;
  const wait = Date.parse(told) - Date.parse(headers?.get('Date') ?? '');
  return Number.isNaN(wait) ? 0 : Math.max(0, wait);
}
