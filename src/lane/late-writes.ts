import { describeError, logFault } from '../platform/log.ts';

/**
 * How long a write may wait. An object with a timer cannot sleep, and is paid for meanwhile; a bot's next order is
 * sooner.
 */
export const LATE_WRITE_PAUSE_MS = 50;

/**
 * Writes that no answer waits for: they go with the next write that one does wait for, or after a pause. Each commit
 * of an object is a wait for its disk, and an answer would wait for all of them. They are lost with the object's
 * memory, so what is written late is only what can be had again, or what had no effect.
 */
export class LateWrites {
  readonly #pending = new Set<() => void>();
  #isTimed = false;

  /** Has `write` called once, soon: a write that is pending already stands for both. */
  add(write: () => void): void {
    this.#pending.add(write);
    if (this.#isTimed) return;
    this.#isTimed = true;
    // It is left to run when a flush came before it: setting one costs more than one that finds nothing.
    setTimeout(() => this.#writeAlone(), LATE_WRITE_PAUSE_MS);
  }

  /** Writes all that is pending, ahead of what the caller writes or reads. Throws when the storage does. */
  flush(): void {
    for (const write of this.#pending) {
      this.#pending.delete(write);
      write();
    }
  }

  /** Nobody waits for these, so nobody is told. */
  #writeAlone(): void {
    this.#isTimed = false;
    try {
      this.flush();
    } catch (error) {
      logFault('late_write_failed', { error: describeError(error) });
    }
  }
}
