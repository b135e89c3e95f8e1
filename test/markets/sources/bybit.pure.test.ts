import { describe, expect, it } from 'vitest';
import { bybitPrices, parseBybitKlines } from '../../../src/markets/sources/bybit.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { impossiblePrices, testRefusedAnswers, testTickers } from '../../support/markets/ticker-edges.ts';
import { writeTicker } from '../../support/node/venues/venue-bybit.ts';

const newer = ['1795240800000', '65010', '65200', '65000', '65150', '12.5', '813750.5'];
const older = ['1795237200000', '65000', '65100', '64900', '65010', '29.11357276', '1892889.301529914'];

const envelope = (list: unknown, change: Record<string, unknown> = {}) => ({
  retCode: 0,
  retMsg: 'OK',
  result: { symbol: 'BTCUSDT', category: 'spot', list, ...change },
  retExtInfo: {},
  time: 1795241228900,
});

const withField = (index: number, value: unknown) => older.map((field, at) => (at === index ? value : field));

const market = { price: '65000.1', ask: '65000.2', open: '64000.5', volume: '5200.25', age_ms: 0 };
const row = (fields: object = {}) => writeTicker('BTCUSDT', { ...market, fields: { ...fields } });
const read = (...rows: unknown[]) => readTickers(bybitPrices, envelope(rows));
const names = { price: 'lastPrice', open: 'prevPrice24h', volume: 'volume24h' };

describe('Bybit’s tickers', () => {
  it('are read with the rolling open, the volume in the base asset and the one time of the answer', () => {
    expect(read(row())).toEqual([
      {
        coin: 'BTC',
        price: parsePrice('65000.1'),
        book: { bid: parsePrice('65000.1'), ask: parsePrice('65000.2') },
        open24h: parsePrice('64000.5'),
        volume24h: '5200.25',
        venueTime_ms: 1795241228900,
      },
    ]);
  });

  testTickers(read, row, names, { symbol: 'ETHUSDT' }, impossiblePrices);

  testRefusedAnswers(
    (answer) => readTickers(bybitPrices, answer),
    [
      [{ ...envelope([row()]), retCode: 10006 }, 'rate_limited'],
      [{ ...envelope([row()]), retCode: 10009 }, 'geo_blocked'],
      [{ ...envelope([row()]), retCode: 10016 }, 'unavailable'],
      [{ ...envelope([row()]), time: 'soon' }, 'unavailable'],
      [envelope([row()], { category: 'linear' }), 'unavailable'],
    ],
  );
});

describe('Bybit’s candles', () => {
  it('are read in the order open, high, low, close, base volume, newest first as the venue sends them', () => {
    expect(parseBybitKlines(envelope([newer, older]))).toEqual([
      { start_ms: 1795240800000, open: '65010', high: '65200', low: '65000', close: '65150', volume: '12.5' },
      { start_ms: 1795237200000, open: '65000', high: '65100', low: '64900', close: '65010', volume: '29.11357276' },
    ]);
  });

  it('may be none', () => {
    expect(parseBybitKlines(envelope([]))).toEqual([]);
  });

  const refusal = (retCode: unknown, retMsg: string) => ({ ...envelope([]), retCode, retMsg, result: {} });

  testRefusedAnswers(parseBybitKlines, [
    [refusal(10001, 'Not supported symbols'), 'question_refused'],
    [refusal(10006, 'Too many visits!'), 'rate_limited'],
    [refusal(10018, 'Exceeded the IP Rate Limit.'), 'rate_limited'],
    [refusal(10009, 'IP has been banned.'), 'geo_blocked'],
    [refusal(10016, 'Server error.'), 'unavailable'],
    [refusal('0', 'OK'), 'unavailable'],
    [envelope([older], { category: 'linear' }), 'unavailable'],
    [envelope([older], { category: 'inverse' }), 'unavailable'],
    [envelope({ 0: older }), 'unavailable'],
    [envelope([newer, older.slice(0, 5)]), 'unavailable'],
    [envelope([withField(0, 1795237200000)]), 'unavailable'],
    [envelope([withField(0, 'soon')]), 'unavailable'],
    [envelope([withField(4, 65010)]), 'unavailable'],
    [envelope([withField(1, null)]), 'unavailable'],
    [envelope([withField(1, '9'.repeat(200))]), 'unavailable'],
    [{ retCode: 0 }, 'unavailable'],
    [[newer], 'unavailable'],
    [null, 'unavailable'],
  ]);
});
