import { describeError, logFault } from './log.ts';

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

  get isFree(): boolean {
    return !this.#held;
  }

  /** Runs `execution` when its turn comes; gives `timed_out` when it does not before the deadline, or too many wait. */
  async run<T>(execution: () => Promise<T>): Promise<Turn<T>> {
    if (this.#held && (this.#waiting.length >= this.#room || !(await this.#takeTurn()))) return { kind: 'timed_out' };
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

/** A lock for each name, as long as it is used. */
export class NamedMutexes {
  readonly #make: () => Mutex;
  readonly #mutexes = new Map<string, Mutex>();

  constructor(make: () => Mutex) {
    this.#make = make;
  }

  async run<T>(name: string, execution: () => Promise<T>): Promise<Turn<T>> {
    const mutex = this.#mutexes.get(name) ?? this.#make();
    this.#mutexes.set(name, mutex);
    try {
      return await mutex.run(execution);
    } finally {
      if (mutex.isFree) this.#mutexes.delete(name);
    }
  }
}

/**
 * Work that is done for many callers at once: whoever comes while it runs shares the next run, so that at most one runs
 * and one is waited for.
 */
export class SharedRun {
  readonly #work: () => Promise<unknown>;
  readonly #rest: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  /** `rest` is the pause between the end of a run and the next one, if there is one. */
  constructor(work: () => Promise<unknown>, rest = () => Promise.resolve()) {
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
