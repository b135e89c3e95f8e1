/** Why an execution did not get its turn. */
export type Turn<T> = { readonly kind: 'ran'; readonly value: T } | { readonly kind: 'timed_out' };

/**
 * Lets one execution at a time through, in order of arrival. An object that awaits D1 admits other calls meanwhile, so
 * the object alone is no lock. The queue and the wait in it are bounded: an execution whose caller was refused at the
 * deadline never starts.
 */
export class Mutex {
  readonly #room: number;
  readonly #deadline_ms: number;
  readonly #waiting: (() => void)[] = [];
  #held = false;

  constructor(room: number, deadline_ms: number) {
    this.#room = room;
    this.#deadline_ms = deadline_ms;
  }

  /** Whether one more may wait. */
  hasRoom(): boolean {
    return !this.#held || this.#waiting.length < this.#room;
  }

  /** Runs `execution` when its turn comes, or gives `timed_out` when the turn does not come before the deadline. */
  async run<T>(execution: () => Promise<T>): Promise<Turn<T>> {
    if (this.#held && !(await this.#takeTurn())) return { kind: 'timed_out' };
    this.#held = true;
    try {
      return { kind: 'ran', value: await execution() };
    } finally {
      const next = this.#waiting.shift();
      // The lock is passed on without becoming free, so that a new call cannot overtake the queue.
      if (next) next();
      else this.#held = false;
    }
  }

  #takeTurn(): Promise<boolean> {
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        resolve(false);
      }, this.#deadline_ms);
      this.#waiting.push(enter);
    });
  }
}
