/**
 * As of when a venue's messages are, by Bureau's own clock. No venue's clock is believed: the least difference between a
 * message's receipt and its time since the socket opened is how far the clocks are apart, with the way at its shortest; what
 * a message takes beyond that is its delay. Half the shortest time to a pong is the way.
 */
export class VenueClock {
  #least_ms = Infinity;
  #delay_ms = 0;
  #way_ms = Infinity;
  #asked_ms = Infinity;

  /** How late the newest message with a time was; not known until one came. */
  get delay_ms(): number | null {
    return this.#least_ms === Infinity ? null : this.#delay_ms;
  }

  notePing(now_ms: number): void {
    if (this.#asked_ms === Infinity) this.#asked_ms = now_ms;
  }

  notePong(now_ms: number): void {
    if (now_ms >= this.#asked_ms) this.#way_ms = Math.min(this.#way_ms, (now_ms - this.#asked_ms) / 2);
    this.#asked_ms = Infinity;
  }

  /**
   * As of when a message is that came now; `-Infinity` as long as the way and the clocks are not known. Messages of a
   * socket are in order: one without a time is as late as the newest with one.
   */
  asOf(event_ms: number | null, now_ms: number): number {
    if (event_ms !== null) {
      const difference_ms = now_ms - event_ms;
      this.#least_ms = Math.min(this.#least_ms, difference_ms);
      this.#delay_ms = difference_ms - this.#least_ms;
    }
    return this.#least_ms === Infinity ? -Infinity : Math.floor(now_ms - this.#delay_ms - this.#way_ms);
  }
}
