import { describe, expect, it, vi } from 'vitest';
import { hedge } from '../../../src/markets/candles/hedge.ts';

const never = () => new Promise<never>(() => {});
const FAR = 60_000;

describe('of several attempts at the same thing', () => {
  it('only the first runs while it may still succeed in time', async () => {
    const second = vi.fn(() => Promise.resolve('second'));
    expect(await hedge([() => Promise.resolve('first'), second], FAR)).toBe('first');
    expect(second).not.toHaveBeenCalled();
  });

  it('the next starts at once when one fails', async () => {
    const third = vi.fn(() => Promise.resolve('third'));
    const fails = () => Promise.reject(new Error('failed'));
    expect(await hedge([fails, () => Promise.resolve('second'), third], FAR)).toBe('second');
    expect(third).not.toHaveBeenCalled();
  });

  it('the next starts while a slow one is running, and the first good result is taken', async () => {
    const first = Promise.withResolvers<string>();
    const second = () => {
      first.resolve('first');
      return never();
    };
    expect(await hedge([() => first.promise, second], 1)).toBe('first');
  });

  it('the others are told to stop', async () => {
    const signals: AbortSignal[] = [];
    const slow = (signal: AbortSignal) => {
      signals.push(signal);
      return never();
    };
    await hedge([slow, () => Promise.resolve('second')], 1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('a failure while another is running does not start a third before its time', async () => {
    const first = Promise.withResolvers<string>();
    const third = vi.fn(() => Promise.resolve('third'));
    const second = () => Promise.reject(new Error('failed'));
    const result = hedge([() => first.promise, second, third], 1);
    expect(await result).toBe('third');
    expect(third).toHaveBeenCalledOnce();
  });

  it('the last failure is returned when all fail, and only then', async () => {
    const late = Promise.withResolvers<string>();
    const attempts = [
      () => late.promise,
      () => {
        setTimeout(() => late.reject(new Error('late')));
        return Promise.reject(new Error('early'));
      },
    ];
    await expect(hedge(attempts, 1)).rejects.toThrow('late');
  });
});
