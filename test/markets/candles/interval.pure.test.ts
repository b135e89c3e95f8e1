import { describe, expect, it } from 'vitest';
import {
  freshTimeOfInterval,
  intervals,
  shiftInterval,
  startOfInterval,
} from '../../../src/markets/candles/interval.ts';

const at = (text: string) => Date.parse(text);

describe('the starts of candles', () => {
  it.each([
    ['1m', '2026-11-21T06:07:00Z'],
    ['3m', '2026-11-21T06:06:00Z'],
    ['5m', '2026-11-21T06:05:00Z'],
    ['15m', '2026-11-21T06:00:00Z'],
    ['30m', '2026-11-21T06:00:00Z'],
    ['1h', '2026-11-21T06:00:00Z'],
    ['2h', '2026-11-21T06:00:00Z'],
    ['4h', '2026-11-21T04:00:00Z'],
    ['6h', '2026-11-21T06:00:00Z'],
    ['12h', '2026-11-21T00:00:00Z'],
    ['1d', '2026-11-21T00:00:00Z'],
    ['1w', '2026-11-16T00:00:00Z'],
    ['1M', '2026-11-01T00:00:00Z'],
  ] as const)('puts the %s candle of Saturday 2026-11-21 06:07:08.9 at %s', (interval, start) => {
    expect(startOfInterval(interval, at('2026-11-21T06:07:08.900Z'))).toBe(at(start));
  });

  it.each(intervals)('are the same for the first and the last millisecond of a %s candle', (interval) => {
    const start = startOfInterval(interval, at('2028-02-29T12:34:56Z'));
    expect(startOfInterval(interval, start)).toBe(start);
    expect(startOfInterval(interval, shiftInterval(interval, start, 1) - 1)).toBe(start);
    expect(startOfInterval(interval, start - 1)).toBe(shiftInterval(interval, start, -1));
  });

  it('are Mondays for weeks, before 1970 too', () => {
    expect(startOfInterval('1w', at('1969-12-31T00:00:00Z'))).toBe(at('1969-12-29T00:00:00Z'));
  });

  it('follow the calendar for months, over years and leap days', () => {
    expect(shiftInterval('1M', at('2024-01-01T00:00:00Z'), 1)).toBe(at('2024-02-01T00:00:00Z'));
    expect(shiftInterval('1M', at('2024-01-01T00:00:00Z'), -13)).toBe(at('2022-12-01T00:00:00Z'));
  });
});

it.each([
  ['1m', 6_000],
  ['3m', 18_000],
  ['5m', 30_000],
  ['1h', 30_000],
  ['1M', 30_000],
] as const)('candles of %s may be served again for %i ms', (interval, fresh_ms) => {
  expect(freshTimeOfInterval(interval)).toBe(fresh_ms);
});
