import { z } from 'zod';
import type { SourceError } from './source-error.ts';

/** The state of one source's circuit breaker; plain data. */
export const CircuitBreaker = z
  .object({
    /** Failures in a row. */
    failures: z.number(),
    lastFailure_ms: z.number(),
    /** Until when the source is not asked; `null` when it is healthy. */
    openUntil_ms: z.number().nullable(),
    /** Whether the venue itself asked us to wait: such a wait is never shortened. */
    isTold: z.boolean(),
  })
  .readonly();

export type CircuitBreaker = z.output<typeof CircuitBreaker>;

/**
 * Whether to ask a source now: `good`: yes; `probe`: yes, and the answer decides whether it is healthy again;
 * `suspended`: no; `probe_if_needed`: only when too few others are healthy.
 */
export type BreakerState = 'good' | 'probe' | 'probe_if_needed' | 'suspended';

const FAILURES_TO_OPEN = 3;
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 600_000;
const NEEDED_WAIT_MS = 2_000;

/** How long a rate limit without Retry-After lasts, and the longest Retry-After that is followed. */
const RATE_LIMIT_WAIT_MS = 60_000;
const LONGEST_TOLD_WAIT_MS = 86_400_000;

/** How long a venue that refuses the country is not asked. The object may later run in another place. */
const GEO_BLOCK_WAIT_MS = 1_800_000;

/** The breaker of a healthy source. */
export const closedBreaker: CircuitBreaker = {
  failures: 0,
  lastFailure_ms: 0,
  openUntil_ms: null,
  isTold: false,
};

/**
 * The breaker after one more failure. The third in a row opens it for 30 s, each further one for twice as long, up to
 * 10 min. A rate limit opens it at once for as long as the venue asks, a blocked country for half an hour.
 */
export function recordFailure(
  breaker: CircuitBreaker,
  { fault, retryAfter_ms }: Pick<SourceError, 'fault' | 'retryAfter_ms'>,
  now_ms: number,
): CircuitBreaker {
  const failures = breaker.failures + 1;
  const failed = { failures, lastFailure_ms: now_ms };
  if (fault === 'geo_blocked') return { ...failed, openUntil_ms: now_ms + GEO_BLOCK_WAIT_MS, isTold: true };
  if (fault === 'rate_limited' || retryAfter_ms !== undefined) {
    const wait_ms = Math.min(retryAfter_ms ?? RATE_LIMIT_WAIT_MS, LONGEST_TOLD_WAIT_MS);
    return { ...failed, openUntil_ms: now_ms + wait_ms, isTold: true };
  }
  if (failures < FAILURES_TO_OPEN) return { ...failed, openUntil_ms: null, isTold: false };
  const wait_ms = Math.min(FIRST_WAIT_MS * 2 ** (failures - FAILURES_TO_OPEN), LONGEST_WAIT_MS);
  return { ...failed, openUntil_ms: now_ms + wait_ms, isTold: false };
}

/** Whether to ask the source at `now_ms`. */
export function standingOf({ openUntil_ms, isTold, lastFailure_ms }: CircuitBreaker, now_ms: number): BreakerState {
  if (openUntil_ms === null) return 'good';
  if (now_ms >= openUntil_ms) return 'probe';
  if (!isTold && now_ms - lastFailure_ms >= NEEDED_WAIT_MS) return 'probe_if_needed';
  return 'suspended';
}
