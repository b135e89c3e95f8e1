const MINUTE_MS = 60_000;

/** The part of a minute's requests that may be sent at once. */
const BURST = 1 / 10;

/**
 * How many requests are sent: never more than the limit in any minute, whoever asks for them. A tenth of them
 * may come at once; the others become free gradually, so that a burst is spread over the minute.
 */
export class RequestBudget {
  readonly #capacity: number;
  readonly #refillPerMs: number;
  #left: number;
  #counted_ms = -Infinity;

  constructor(limit: number) {
    this.#capacity = limit * BURST;
    this.#refillPerMs = (limit * (1 - BURST)) / MINUTE_MS;
    this.#left = this.#capacity;
  }

  /** The milliseconds until this many requests fit, or 0. */
  waitFor(count: number, now_ms: number): number {
    // A clock that goes back frees nothing.
    const passed_ms = Math.max(0, now_ms - this.#counted_ms);
    this.#left = Math.min(this.#capacity, this.#left + passed_ms * this.#refillPerMs);
    this.#counted_ms = now_ms;
    return this.#left < count ? Math.ceil((count - this.#left) / this.#refillPerMs) : 0;
  }

  /** Takes this many requests and returns 0, or takes none and returns the milliseconds until they fit. */
  take(count: number, now_ms: number): number {
    const wait_ms = this.waitFor(count, now_ms);
    if (wait_ms === 0) this.#left -= count;
    return wait_ms;
  }
}
