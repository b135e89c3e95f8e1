/** The clock that the client uses. */
export interface Clock {
  /** Milliseconds since any fixed time; only differences are used. */
  now(): number;
  /** Resolves after `milliseconds`, or rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The longest time that a timer can wait. A timer with a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the runtime. A sleep that is aborted clears its timer. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(milliseconds, LONGEST_TIMER_MS));
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', stop, { once: true });
    }),
};
