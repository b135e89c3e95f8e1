import { z } from 'zod';
import { logFault } from '../../platform/log.ts';
import { CircuitBreaker, type BreakerState, closedBreaker, recordFailure, standingOf } from './circuit-breaker.ts';
import { SourceError } from './source-error.ts';

/** BreakersByName by the name of what they guard, as they are kept over an eviction. */
export const BreakersByName = z.record(z.string(), CircuitBreaker).readonly();

export type BreakersByName = z.output<typeof BreakersByName>;

/** The circuit breakers of all sources, and what the operator is told of them. */
export class CircuitBreakers {
  readonly #breakers: Map<string, CircuitBreaker>;
  readonly #onChange: () => void;

  /** Begins with the breakers that were kept. `onChange` is called whenever a source is suspended or good again. */
  constructor(kept: BreakersByName, onChange: () => void) {
    this.#breakers = new Map(Object.entries(kept));
    this.#onChange = onChange;
  }

  standingOf(name: string, now_ms: number): BreakerState {
    return standingOf(this.#find(name), now_ms);
  }

  /** Records that the source answered well. */
  recordAnswer(name: string): void {
    const wasOpen = this.#find(name).openUntil_ms !== null;
    this.#breakers.delete(name);
    if (!wasOpen) return;
    logFault('source_recovered', { source: name });
    this.#onChange();
  }

  /**
   * Records that it failed, and tells the operator why: in our own words, never with text that a venue sent. The
   * refusal of one question says nothing of the source's health: it is told, and counts for nothing.
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

  /** All that are not as new. */
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
