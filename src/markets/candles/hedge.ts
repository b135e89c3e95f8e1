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
  const timers: ReturnType<typeof setTimeout>[] = [];
  let begun = 0;
  let failed = 0;

  const beginNext = (after: number) => {
    const attempt = attempts[after];
    if (!attempt || begun !== after) return;
    const index = ++begun;
    timers.push(setTimeout(() => beginNext(index), delay_ms));
    attempt(won.signal).then(result.resolve, (error: unknown) => {
      if (++failed === attempts.length) result.reject(error);
      else beginNext(index);
    });
  };

  beginNext(0);
  try {
    return await result.promise;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    won.abort();
  }
}
