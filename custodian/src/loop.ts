/** Repeats a task after an interval, or at once when woken. It never runs twice at the same time. */
export class Loop {
  readonly #task: () => Promise<void>;
  readonly #interval_ms: number;
  readonly #onFailure: (error: unknown) => void;
  readonly #ended: Promise<void>;
  #isStopped = false;
  #isWoken = false;
  #endRest: (() => void) | undefined;

  constructor(task: () => Promise<void>, interval_ms: number, onFailure: (error: unknown) => void) {
    this.#task = task;
    this.#interval_ms = interval_ms;
    this.#onFailure = onFailure;
    this.#ended = this.#run();
  }

  /** Runs the task once more: now, or after the running one. */
  wake(): void {
    this.#isWoken = true;
    this.#endRest?.();
  }

  /** Ends the loop after the running task is finished. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#endRest?.();
    return this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      try {
        await this.#task();
      } catch (error) {
        this.#onFailure(error);
      }
      await this.#rest();
    }
  }

  #rest(): Promise<void> {
    if (this.#isWoken || this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#interval_ms);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
