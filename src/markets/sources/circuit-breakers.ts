import { z } from 'zod';
import { logFault } from '../../platform/log.ts';
import { CircuitBreaker, type BreakerState, closedBreaker, recordFailure, standingOf } from './circuit-breaker.ts';
import { SourceError } from './source-error.ts';

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

  /** Records that the source answered well. */
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
