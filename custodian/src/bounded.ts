/** Runs a task for each item, at most `most` at the same time. Rejects with the first error, after all have ended. */
export async function forEachBounded<T>(
  items: readonly T[],
  most: number,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const lanes = Array.from({ length: Math.min(most, items.length) }, async () => {
    for (const item of waiting) await task(item);
  });
  const ended = await Promise.allSettled(lanes);
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
}
