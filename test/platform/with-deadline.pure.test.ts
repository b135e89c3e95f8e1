import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withDeadline } from '../../src/platform/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => void vi.useRealTimers());

describe('work under a deadline', () => {
  it('ends with the work’s own result, and leaves no timer that would keep its object awake', async () => {
    expect(await withDeadline(1_000, () => Promise.resolve('done'))).toBe('done');
    await expect(withDeadline(1_000, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts the work at the deadline, and does not wait for it', async () => {
    let told = false;
    const late = withDeadline(1_000, (signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return new Promise(() => {});
    });
    const rejection = expect(late).rejects.toMatchObject({ name: 'TimeoutError' });
    vi.advanceTimersByTime(999);
    expect(told).toBe(false);
    vi.advanceTimersByTime(1);
    expect(told).toBe(true);
    await rejection;
  });
});
