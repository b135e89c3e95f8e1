/**
 * The first good result of several attempts at one thing. The first begins at once, each further one when the one
 * before it has failed, or `delay_ms` after that began. The signal aborts as soon as one has succeeded. Rejects with
 * the last failure when all have failed. (Dean and Barroso, "The Tail at Scale", 2013: hedged requests.)
 */
export async function hedge<T>(
  attempts: readonly ((signal: AbortSignal) => Promise<T>)[],
  delay_ms: number,
): Promise<T> {
  const won = new AbortController();
  const result = Promise.withResolvers<T>();
  let stopTimer = () => {};
  let begun = 0;
  let failed = 0;

  const beginNext = () => {
    stopTimer();
    const attempt = attempts[begun++];
    if (!attempt) return;
    const index = begun;
    const timer = setTimeout(beginNext, delay_ms);
    stopTimer = () => clearTimeout(timer);
    attempt(won.signal).then(result.resolve, (error: unknown) => {
      if (++failed === attempts.length) result.reject(error);
      else if (index === begun) beginNext();
    });
  };

  beginNext();
  try {
    return await result.promise;
  } finally {
    stopTimer();
    won.abort();
  }
}
