import { describeError, logFault } from '../platform/log.ts';

/**
 * How long a write may wait. An object with a timer cannot sleep and costs money meanwhile; a bot's next order usually
 * comes sooner.
 */
export const LATE_WRITE_PAUSE_MS = 50;

/**
 * Writes that no answer waits for. They are made together with the next write that an answer waits for, or after a
 * pause. This saves answers from waiting for the disk. If the object loses its memory they are lost, so only data is
 * written late that can be found again or had no effect.
 */
export class LateWrites {
  readonly #pending = new Set<() => void>();
  #isTimed = false;

  /** Calls `write` once, soon. If it is pending already, it is not added again. */
  add(write: () => void): void {
    this.#pending.add(write);
    if (this.#isTimed) return;
    this.#isTimed = true;
    // A flush does not cancel the timer: setting a new one costs more than a timer that finds nothing.
    setTimeout(() => this.#writeAlone(), LATE_WRITE_PAUSE_MS);
  }

  /** Writes all that is pending, ahead of what the caller writes or reads. Throws when the storage does. */
  flush(): void {
    for (const write of this.#pending) {
      this.#pending.delete(write);
      write();
    }
  }

  /** Nobody waits for these writes, so a failure is only logged. */
  #writeAlone(): void {
    this.#isTimed = false;
    try {
      this.flush();
    } catch (error) {
      logFault('late_write_failed', { error: describeError(error) });
    }
  }
}
