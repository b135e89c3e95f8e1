import { describe, expect, it } from 'vitest';
import { SharedRun } from '../../src/platform/turns.ts';

/** A run that ends when the test says so. */
function startRuns() {
  const running: PromiseWithResolvers<void>[] = [];
  const rests: PromiseWithResolvers<void>[] = [];
  const wait = (list: PromiseWithResolvers<void>[]) => {
    const one = Promise.withResolvers<void>();
    list.push(one);
    return one.promise;
  };
  const shared = new SharedRun(
    () => wait(running),
    () => wait(rests),
  );
  return { shared, running, rests };
}

/** Lets everything run that waits for nothing else. */
const settle = () => new Promise<void>((resolve) => void setTimeout(resolve, 0));

describe('a shared run', () => {
  it('is one for all who come while another runs, and begins after they came', async () => {
    const { shared, running, rests } = startRuns();
    const first = shared.run();
    await settle();
    const later = Array.from({ length: 20 }, () => shared.run());
    await settle();
    expect(running).toHaveLength(1);
    running[0]?.resolve();
    await first;
    await settle();
    expect(running).toHaveLength(1);
    rests[0]?.resolve();
    await settle();
    expect(running).toHaveLength(2);
    running[1]?.resolve();
    await Promise.all(later);
    rests[1]?.resolve();
    await settle();
    expect(running).toHaveLength(2);
  });

  it('that fails tells its own callers, and the next one runs', async () => {
    const { shared, running, rests } = startRuns();
    const first = shared.run();
    await settle();
    const second = shared.run();
    running[0]?.reject(new Error('no database'));
    await expect(first).rejects.toThrow('no database');
    rests[0]?.resolve();
    await settle();
    running[1]?.resolve();
    await expect(second).resolves.toBeUndefined();
  });
});
