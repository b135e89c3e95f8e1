import { describe, expect, it } from 'vitest';
import { daysOfWeeks, splitWindow } from '../../../src/markets/candles/candle-window.ts';
import { foldWeeks } from '../../../src/markets/candles/fold-weeks.ts';

const DAY_MS = 86_400_000;

const monday_ms = Date.UTC(2026, 10, 16);

const day = (index: number, prices: readonly [string, string, string, string], volume = '1.5') => {
  const [open, high, low, close] = prices;
  return { start_ms: monday_ms + index * DAY_MS, open, high, low, close, volume };
};

describe('weeks that are made of days', () => {
  it('begin on Monday, with the first day’s open, the last day’s close, the extremes and the sum of the volumes', () => {
    const days = [
      day(-1, ['1', '1', '1', '1'], '7'),
      day(0, ['9', '9.5', '8.9', '9.1']),
      day(3, ['9.2', '10', '9', '9.9'], '0.000000000000000001'),
      day(6, ['9.9', '9.99', '8', '8.5'], '2'),
      day(7, ['8.5', '8.6', '8.4', '8.55'], '0'),
    ];
    expect(foldWeeks(days)).toEqual([
      { start_ms: monday_ms - 7 * DAY_MS, open: '1', high: '1', low: '1', close: '1', volume: '7' },
      { start_ms: monday_ms, open: '9', high: '10', low: '8', close: '8.5', volume: '3.500000000000000001' },
      { start_ms: monday_ms + 7 * DAY_MS, open: '8.5', high: '8.6', low: '8.4', close: '8.55', volume: '0' },
    ]);
    expect(foldWeeks([])).toEqual([]);
  });

  it('cover a range of weeks up to today, in requests that leave no day out', () => {
    const weeks = { first_ms: monday_ms - 700 * DAY_MS, last_ms: monday_ms };
    const days = daysOfWeeks(weeks, monday_ms + 2.5 * DAY_MS);
    expect(days).toEqual({ first_ms: weeks.first_ms, last_ms: monday_ms + 2 * DAY_MS });
    expect(daysOfWeeks(weeks, monday_ms + 99 * DAY_MS).last_ms).toBe(monday_ms + 6 * DAY_MS);
    const parts = splitWindow('1d', days, 300);
    expect(parts.map(({ first_ms, last_ms }) => (last_ms - first_ms) / DAY_MS + 1)).toEqual([300, 300, 103]);
    expect(parts[1]?.first_ms).toBe((parts[0]?.last_ms ?? 0) + DAY_MS);
    expect(parts.at(-1)?.last_ms).toBe(days.last_ms);
  });
});
