import { z } from 'zod';
import { logFault } from '../../platform/log.ts';
import { SourceError } from './source-error.ts';

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

/** How long a venue is not asked whose firewall refuses the address: the next request may leave from another. */
const ADDRESS_BLOCK_WAIT_MS = 120_000;

/** How long a venue that refuses the country is not asked. The object may later run in another place. */
const GEO_BLOCK_WAIT_MS = 1_800_000;

export const closedBreaker: CircuitBreaker = {
  failures: 0,
  lastFailure_ms: 0,
  openUntil_ms: null,
  isTold: false,
};

/**
 * The breaker after one more failure. The third in a row opens it for 30 s, each further one for twice as long, up to
 * 10 min. A rate limit opens it at once for as long as the venue asks, a blocked address for two minutes, a blocked
 * country for half an hour.
 */
export function recordFailure(
  breaker: CircuitBreaker,
  { fault, retryAfter_ms }: Pick<SourceError, 'fault' | 'retryAfter_ms'>,
  now_ms: number,
): CircuitBreaker {
  const failures = breaker.failures + 1;
  const failed = { failures, lastFailure_ms: now_ms };
  if (fault === 'geo_blocked') return { ...failed, openUntil_ms: now_ms + GEO_BLOCK_WAIT_MS, isTold: true };
  if (fault === 'rate_limited' || fault === 'address_blocked' || retryAfter_ms !== undefined) {
    const usual_ms = fault === 'address_blocked' ? ADDRESS_BLOCK_WAIT_MS : RATE_LIMIT_WAIT_MS;
    const wait_ms = Math.min(retryAfter_ms ?? usual_ms, LONGEST_TOLD_WAIT_MS);
    return { ...failed, openUntil_ms: now_ms + wait_ms, isTold: true };
  }
  if (failures < FAILURES_TO_OPEN) return { ...failed, openUntil_ms: null, isTold: false };
  const wait_ms = Math.min(FIRST_WAIT_MS * 2 ** (failures - FAILURES_TO_OPEN), LONGEST_WAIT_MS);
  return { ...failed, openUntil_ms: now_ms + wait_ms, isTold: false };
}

export function standingOf({ openUntil_ms, isTold, lastFailure_ms }: CircuitBreaker, now_ms: number): BreakerState {
  if (openUntil_ms === null) return 'good';
  if (now_ms >= openUntil_ms) return 'probe';
  if (!isTold && now_ms - lastFailure_ms >= NEEDED_WAIT_MS) return 'probe_if_needed';
  return 'suspended';
}

/** The breakers by the name of their source, as they are stored. */
export const BreakersByName = z.record(z.string(), CircuitBreaker).readonly();

export type BreakersByName = z.output<typeof BreakersByName>;

/** The circuit breakers of all sources. They log each change for the operator. */
export class CircuitBreakers {
  readonly #breakers: Map<string, CircuitBreaker>;
  readonly #onChange: () => void;

  /** Begins with the stored breakers. `onChange` is called whenever a source is suspended or healthy again. */
  constructor(kept: BreakersByName, onChange: () => void) {
    this.#breakers = new Map(Object.entries(kept));
    this.#onChange = onChange;
  }

  standingOf(name: string, now_ms: number): BreakerState {
    return standingOf(this.#find(name), now_ms);
  }

  recordAnswer(name: string): void {
    const wasOpen = this.#find(name).openUntil_ms !== null;
    this.#breakers.delete(name);
    if (!wasOpen) return;
    logFault('source_recovered', { source: name });
    this.#onChange();
  }

  /**
   * Records a failure and logs the reason in our own words, never with text from a venue. If the source refused just
   * this question, the failure is logged but not counted.
   */
  recordFailure(name: string, error: unknown, now_ms: number): void {
    const fault = error instanceof SourceError ? error : new SourceError(describeFailure(error));
    if (fault.fault === 'question_refused') {
      logFault('source_refused_question', { source: name, reason: fault.message });
      return;
    }
    logFault('source_failed', { source: name, fault: fault.fault, reason: fault.message });
    const breaker = recordFailure(this.#find(name), fault, now_ms);
    this.#breakers.set(name, breaker);
    if (breaker.openUntil_ms === null) return;
    logFault('source_suspended', {
      source: name,
      fault: fault.fault,
      until: new Date(breaker.openUntil_ms).toISOString(),
    });
    this.#onChange();
  }

  /** The breakers that differ from a healthy source's. */
  list(): BreakersByName {
    return Object.fromEntries(this.#breakers);
  }

  #find(name: string): CircuitBreaker {
    return this.#breakers.get(name) ?? closedBreaker;
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'did not answer in time';
  return `failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`;
}
