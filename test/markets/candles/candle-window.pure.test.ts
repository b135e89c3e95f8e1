import { describe, expect, it } from 'vitest';
import type { CandleQuestion } from '../../../src/markets/candles/candle-source.ts';
import { windowOf } from '../../../src/markets/candles/candle-window.ts';

const now_ms = Date.parse('2026-11-21T06:07:08.900Z');

function show(question: Partial<CandleQuestion>): string | undefined {
  const window = windowOf({ coin: 'BTC', interval: '1h', limit: 3, ...question }, now_ms);
  return (
    window && [window.first_ms, window.last_ms].map((start) => new Date(start).toISOString().slice(0, 16)).join(' ')
  );
}

describe('the range of candles that a request means', () => {
  it('ends with the running candle when the request has no times', () => {
    expect(show({})).toBe('2026-11-21T04:00 2026-11-21T06:00');
    expect(show({ limit: 1 })).toBe('2026-11-21T06:00 2026-11-21T06:00');
  });

  it('ends with the candle that starts at the end or before it', () => {
    expect(show({ endTime_ms: Date.parse('2026-11-20T10:00Z') })).toBe('2026-11-20T08:00 2026-11-20T10:00');
    expect(show({ endTime_ms: Date.parse('2026-11-20T10:59Z') })).toBe('2026-11-20T08:00 2026-11-20T10:00');
    expect(show({ endTime_ms: Date.parse('2027-01-01T00:00Z') })).toBe('2026-11-21T04:00 2026-11-21T06:00');
  });

  it('begins with the candle that starts at the start or after it, and contains the oldest from there', () => {
    expect(show({ startTime_ms: Date.parse('2026-11-20T10:00Z') })).toBe('2026-11-20T10:00 2026-11-20T12:00');
    expect(show({ startTime_ms: Date.parse('2026-11-20T10:01Z') })).toBe('2026-11-20T11:00 2026-11-20T13:00');
  });

  it('is limited by an end, and by the running candle', () => {
    const startTime_ms = Date.parse('2026-11-21T05:00Z');
    expect(show({ startTime_ms })).toBe('2026-11-21T05:00 2026-11-21T06:00');
    expect(show({ startTime_ms, endTime_ms: startTime_ms })).toBe('2026-11-21T05:00 2026-11-21T05:00');
  });

  it('counts weeks from Mondays and months by their length', () => {
    expect(show({ interval: '1w' })).toBe('2026-11-02T00:00 2026-11-16T00:00');
    expect(show({ interval: '1M', startTime_ms: Date.parse('2023-12-31T00:00Z') })).toBe(
      '2024-01-01T00:00 2024-03-01T00:00',
    );
  });

  it('begins in 1970 at the earliest', () => {
    expect(show({ interval: '1M', limit: 1000 })).toBe('1970-01-01T00:00 2026-11-01T00:00');
    expect(show({ startTime_ms: -1 })).toBe('1970-01-01T00:00 1970-01-01T02:00');
  });

  it.each([
    ['it begins after now', { startTime_ms: now_ms }],
    ['it begins in the year 9999', { startTime_ms: Date.parse('9999-12-31T23:59:59Z'), interval: '1M' as const }],
    ['no candle starts in it', { startTime_ms: now_ms - 3_600_000, endTime_ms: now_ms - 3_599_000 }],
    ['it ends before the epoch', { endTime_ms: -1 }],
  ])('is empty when %s', (_case, question) => {
    expect(show(question)).toBeUndefined();
  });
});
