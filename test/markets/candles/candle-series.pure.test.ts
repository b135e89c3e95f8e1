import { describe, expect, it } from 'vitest';
import {
  type CandleQuestion,
  type MarketCandle,
  alignQuestion,
  freshTimeOfSeries,
} from '../../../src/markets/candles/candle-source.ts';

const at = (text: string) => Date.parse(`2026-11-21T${text}Z`);

const question: CandleQuestion = { coin: 'BTC', interval: '1h', limit: 3 };

const row = (start_ms: number): MarketCandle => ({ start_ms, open: '1', high: '1', low: '1', close: '1', volume: '1' });

const LONG = 3_600_000;
const SHORT = 30_000;

describe('candles may be cached', () => {
  const taken_ms = at('12:01:00');
  const fresh = (change: Partial<CandleQuestion>, candles: MarketCandle[] = []) =>
    freshTimeOfSeries({ ...question, ...change }, { taken_ms, candles });

  it('briefly while the newest requested candle is running, or ended less than a minute ago', () => {
    expect(fresh({})).toBe(SHORT);
    expect(fresh({ endTime_ms: at('12:00:00') })).toBe(SHORT);
    expect(fresh({ endTime_ms: at('13:00:00') })).toBe(SHORT);
    expect(
      freshTimeOfSeries({ ...question, endTime_ms: at('11:00:00') }, { taken_ms: taken_ms - 1, candles: [] }),
    ).toBe(SHORT);
  });

  it('for an hour when the newest requested candle ended a minute ago', () => {
    expect(fresh({ endTime_ms: at('11:59:59.999') })).toBe(LONG);
    expect(fresh({ endTime_ms: at('11:00:00') })).toBe(LONG);
  });

  it('for an hour when a start and the limit leave only ended ones', () => {
    const candles = [at('08:00:00'), at('09:00:00'), at('11:00:00')].map(row);
    expect(fresh({ startTime_ms: at('08:00:00') }, candles)).toBe(LONG);
    expect(fresh({ startTime_ms: at('08:00:00'), limit: 4 }, candles)).toBe(SHORT);
    expect(fresh({}, candles)).toBe(SHORT);
    expect(
      fresh(
        { startTime_ms: at('10:00:00') },
        [10, 11, 12].map((hour) => row(at(`${hour}:00:00`))),
      ),
    ).toBe(SHORT);
  });

  it('by the calendar for months', () => {
    const month = (endTime_ms: number) =>
      freshTimeOfSeries(
        { ...question, interval: '1M', endTime_ms },
        { taken_ms: Date.parse('2026-12-01T00:01:00Z'), candles: [] },
      );
    expect(month(Date.parse('2026-11-30T00:00:00Z'))).toBe(LONG);
    expect(month(Date.parse('2026-12-01T00:00:00Z'))).toBe(SHORT);
  });
});

describe('the times of a request are moved to starts of candles:', () => {
  it('a start to the next one, and an end to the one before', () => {
    const times = { startTime_ms: at('10:00:00.001'), endTime_ms: at('11:59:59.999') };
    expect(alignQuestion({ ...question, ...times }, at('23:00:00'))).toMatchObject({
      startTime_ms: at('11:00:00'),
      endTime_ms: at('11:00:00'),
    });
  });

  it('a time that is one stays as it is', () => {
    const times = { startTime_ms: at('10:00:00'), endTime_ms: at('11:00:00') };
    expect(alignQuestion({ ...question, ...times }, at('23:00:00'))).toMatchObject(times);
    expect(alignQuestion(question, at('23:00:00'))).toEqual({
      ...question,
      startTime_ms: undefined,
      endTime_ms: undefined,
    });
  });

  it('and requests with the same meaning become one: ends after the running candle, starts in the future or before 1970', () => {
    const now_ms = at('10:30:00');
    const align = (times: Partial<CandleQuestion>) => JSON.stringify(alignQuestion({ ...question, ...times }, now_ms));
    for (const endTime_ms of [at('10:00:00'), at('10:30:00'), at('22:00:00'), at('10:00:00') + 1e11]) {
      expect(align({ endTime_ms })).toBe(align({}));
    }
    expect(align({ endTime_ms: at('09:59:59.999') })).not.toBe(align({}));
    expect(align({ startTime_ms: at('22:00:00') })).toBe(align({ startTime_ms: at('10:30:01') }));
    expect(align({ startTime_ms: -1e12 })).toBe(align({ startTime_ms: -1 }));
    expect(align({ endTime_ms: -1e12 })).toBe(align({ endTime_ms: -2 }));
  });
});
