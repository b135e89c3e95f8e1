/**
 * Work that is done for many callers at once: whoever comes while it runs shares the next run, so that at most one runs
 * and one is waited for.
 */
export class SharedRun {
  readonly #work: () => Promise<unknown>;
  readonly #rest: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** `rest` is the pause between the end of a run and the next one. */
  constructor(work: () => Promise<unknown>, rest: () => Promise<void>) {
    this.#work = work;
    this.#rest = rest;
  }

  /** Ends with a run that began after this call. Throws what that run throws; the next one runs all the same. */
  run(): Promise<void> {
    this.#next ??= this.#last.then(() => this.#begin());
    return this.#next;
  }

  async #begin(): Promise<void> {
    this.#next = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      await this.#work();
    } finally {
      resolve(this.#rest());
    }
  }
}
