import { describe, expect, it } from 'vitest';
import type { MarketCandle } from '../../../src/markets/candles/candle-source.ts';
import { normaliseCandles } from '../../../src/markets/candles/normalise-candles.ts';
import { SourceError } from '../../../src/markets/sources/source-error.ts';

const HOUR_MS = 3_600_000;
const start_ms = Date.parse('2026-11-21T00:00:00Z');
const now_ms = start_ms + 5.5 * HOUR_MS;
const question = { coin: 'BTC', interval: '1h', limit: 1000 } as const;

function candle(hour: number, change: Partial<MarketCandle> = {}): MarketCandle {
  return { start_ms: start_ms + hour * HOUR_MS, open: '10', high: '12', low: '9', close: '11', volume: '5', ...change };
}

const normalise = (rows: MarketCandle[], change: object = {}) =>
  normaliseCandles(rows, { ...question, ...change }, now_ms);
const hoursOf = (candles: MarketCandle[]) => candles.map((row) => (row.start_ms - start_ms) / HOUR_MS);

describe('candles are served in one form, whatever the venue sends:', () => {
  it('in ascending order', () => {
    expect(hoursOf(normalise([candle(2), candle(0), candle(1)]))).toEqual([0, 1, 2]);
  });

  it('with the later of two rows of the same start', () => {
    const rows = normalise([candle(0, { volume: '1' }), candle(0, { volume: '2' })]);
    expect(rows.map(({ volume }) => volume)).toEqual(['2']);
  });

  it('with gaps left as they are', () => {
    expect(hoursOf(normalise([candle(0), candle(3)]))).toEqual([0, 3]);
  });

  it('with plain decimals', () => {
    const raw = candle(0, { open: '1.00e1', high: '12.00000000', low: '0.900', close: '11', volume: '0.00000000' });
    expect(normalise([raw])).toEqual([{ start_ms, open: '10', high: '12', low: '0.9', close: '11', volume: '0' }]);
  });
});

describe('a request for candles gets', () => {
  const rows = [0, 1, 2, 3, 4, 5].map((hour) => candle(hour));

  it('the newest rows when it has no start', () => {
    expect(hoursOf(normalise(rows, { limit: 2 }))).toEqual([4, 5]);
  });

  it('the oldest from its start on, including the start', () => {
    const asked = { limit: 2, startTime_ms: start_ms + HOUR_MS };
    expect(hoursOf(normalise(rows, asked))).toEqual([1, 2]);
    expect(hoursOf(normalise(rows, { ...asked, startTime_ms: start_ms + HOUR_MS + 1 }))).toEqual([2, 3]);
  });

  it('the newest up to its end, including the end', () => {
    expect(hoursOf(normalise(rows, { limit: 2, endTime_ms: start_ms + 3 * HOUR_MS }))).toEqual([2, 3]);
  });
});

describe('an answer is refused as a whole because of one impossible row:', () => {
  it.each([
    ['off the grid', candle(0, { start_ms: start_ms + 1 })],
    ['in the future', candle(7)],
    ['low above the close', candle(0, { low: '11.5' })],
    ['low above the open', candle(0, { low: '10.5', close: '10.6' })],
    ['high below the close', candle(0, { high: '10.5' })],
    ['high below the open', candle(0, { high: '9.9', close: '9.5' })],
    ['a zero price', candle(0, { low: '0' })],
    ['a negative price', candle(0, { low: '-1' })],
    ['a price that is no number', candle(0, { open: 'nan' })],
    ['an empty price', candle(0, { open: '' })],
    ['a negative volume', candle(0, { volume: '-1' })],
    ['a volume that is no number', candle(0, { volume: 'Infinity' })],
  ])('%s', (_fault, row) => {
    expect(() => normalise([candle(1), row])).toThrow(SourceError);
  });

  it('a weekly candle that starts on a Thursday', () => {
    const thursday = candle(0, { start_ms: Date.parse('2026-11-19T00:00:00Z') });
    expect(() => normalise([thursday], { interval: '1w' })).toThrow(SourceError);
  });
});
