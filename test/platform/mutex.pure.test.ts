import { afterEach, describe, expect, it, vi } from 'vitest';
import { Mutex } from '../../src/platform/turns.ts';

/** Longer than any test runs, so only the test itself ends the wait. */
const NEVER_MS = 3_600_000;

/** An execution that ends when the test ends it. */
function gate<T>(value: T): { readonly execution: () => Promise<T>; open: () => void; fail: (error: Error) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  return { execution: () => promise, open: () => resolve(value), fail: reject };
}

afterEach(() => void vi.useRealTimers());

describe('the lane’s mutex', () => {
  it('runs an execution at once when it is free, and returns its value', async () => {
    const mutex = new Mutex(1, NEVER_MS);
    expect(await mutex.run(async () => 42)).toEqual({ kind: 'ran', value: 42 });
    expect(await mutex.run(async () => 43)).toEqual({ kind: 'ran', value: 43 });
  });

  it('runs one execution at a time, in the order of arrival', async () => {
    const mutex = new Mutex(100, NEVER_MS);
    const order: number[] = [];
    let running = 0;
    let mostAtOnce = 0;
    const runs = Array.from({ length: 50 }, (_, index) =>
      mutex.run(async () => {
        running += 1;
        mostAtOnce = Math.max(mostAtOnce, running);
        // Later arrivals wait for fewer turns of the event loop, so they would overtake without the mutex.
        for (let turn = index; turn < 50; turn += 1) await Promise.resolve();
        order.push(index);
        running -= 1;
      }),
    );
    await Promise.all(runs);
    expect(mostAtOnce).toBe(1);
    expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it('lets no newcomer overtake the queue while the lock is handed on', async () => {
    const mutex = new Mutex(10, NEVER_MS);
    const order: string[] = [];
    const holder = gate('holder');
    const held = mutex.run(holder.execution);
    // Arrives after the holder has ended and before the waiter has begun: the moment at which the lock could look free.
    const newcomer = holder.execution().then(() => mutex.run(async () => order.push('newcomer')));
    const waiting = mutex.run(async () => order.push('waiter'));
    holder.open();
    await Promise.all([held, waiting, newcomer]);
    expect(order).toEqual(['waiter', 'newcomer']);
  });

  it('refuses at once while as many wait as may, never runs what it refused, and lets others wait afterwards', async () => {
    const mutex = new Mutex(2, NEVER_MS);
    for (const round of [1, 2]) {
      const holder = gate(round);
      const runs = [mutex.run(holder.execution), mutex.run(async () => round), mutex.run(async () => round)];
      const refused = vi.fn<() => Promise<null>>();
      expect(await mutex.run(refused)).toEqual({ kind: 'timed_out' });
      holder.open();
      expect(await Promise.all(runs)).toEqual(runs.map(() => ({ kind: 'ran', value: round })));
      expect(refused).not.toHaveBeenCalled();
    }
  });

  it('runs an execution that need not wait, even when none may wait', async () => {
    const mutex = new Mutex(0, NEVER_MS);
    for (const value of [1, 2]) {
      const holder = gate(value);
      const held = mutex.run(holder.execution);
      expect(await mutex.run(async () => null)).toEqual({ kind: 'timed_out' });
      holder.open();
      expect(await held).toEqual({ kind: 'ran', value });
    }
  });

  it('refuses at the deadline, and never runs what it refused', async () => {
    const mutex = new Mutex(2, 1);
    const holder = gate('held');
    const held = mutex.run(holder.execution);
    let ran = 0;
    const late = await Promise.all([mutex.run(async () => (ran += 1)), mutex.run(async () => (ran += 1))]);
    expect(late).toEqual([{ kind: 'timed_out' }, { kind: 'timed_out' }]);
    // The holder was not disturbed.
    holder.open();
    expect(await held).toEqual({ kind: 'ran', value: 'held' });
    expect(await mutex.run(async () => 'next')).toEqual({ kind: 'ran', value: 'next' });
    expect(ran).toBe(0);
  });

  it('gives the turn to the next in the queue when the one before it was refused', async () => {
    const mutex = new Mutex(5, 1);
    const holder = gate(null);
    const held = mutex.run(holder.execution);
    expect(await mutex.run(async () => 'late')).toEqual({ kind: 'timed_out' });
    // Queued and freed in one turn of the event loop, so no timer can run in between.
    const inTime = mutex.run(async () => 'in time');
    holder.open();
    await held;
    expect(await inTime).toEqual({ kind: 'ran', value: 'in time' });
  });

  it('does not apply the deadline to an execution that has begun in time', async () => {
    vi.useFakeTimers();
    const mutex = new Mutex(2, 1_000);
    const holder = gate(null);
    const slow = gate('slow');
    const held = mutex.run(holder.execution);
    const began = mutex.run(slow.execution);
    holder.open();
    await held;
    await vi.advanceTimersByTimeAsync(900);
    const waiting = mutex.run(async () => 'waited');
    await vi.advanceTimersByTimeAsync(200);
    slow.open();
    expect(await began).toEqual({ kind: 'ran', value: 'slow' });
    // If its place had been lost, only its own deadline would end its wait.
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toEqual({ kind: 'ran', value: 'waited' });
  });

  it('is released by an execution that throws, and the error reaches only its own caller', async () => {
    const mutex = new Mutex(2, NEVER_MS);
    const holder = gate(null);
    const failing = mutex.run(holder.execution);
    const next = mutex.run(async () => 'next');
    holder.fail(new Error('broken'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toEqual({ kind: 'ran', value: 'next' });
    expect(await mutex.run(async () => 'later')).toEqual({ kind: 'ran', value: 'later' });
  });
});
