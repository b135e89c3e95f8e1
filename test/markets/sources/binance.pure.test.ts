import { describe, expect, it } from 'vitest';
import { binancePrices, parseBinanceKlines } from '../../../src/markets/sources/binance.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { SourceError } from '../../../src/markets/sources/source-error.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { faultOf } from '../../support/runtime/fault-of.ts';
import { changeFields, impossiblePrices, testTickerEdges } from '../../support/markets/ticker-edges.ts';

const row = (change: Record<string, unknown> = {}) => ({
  symbol: 'BTCUSDT',
  openPrice: '70000.00000000',
  highPrice: '70500.00000000',
  lowPrice: '64000.00000000',
  lastPrice: '65000.10000000',
  bidPrice: '65000.09000000',
  bidQty: '0.09810000',
  askPrice: '65000.11000000',
  askQty: '8.52891000',
  volume: '33278.39129000',
  quoteVolume: '2354076638.59660790',
  openTime: 1795154828900,
  closeTime: 1795241228900,
  firstId: 3983862692,
  lastId: 3988881941,
  count: 5019250,
  ...change,
});

const names = { price: 'lastPrice', open: 'openPrice', volume: 'volume' };

describe('Binance’s tickers', () => {
  it('are read with the rolling open, the base volume and the venue’s time', () => {
    expect(readTickers(binancePrices, [row()])).toEqual([
      {
        coin: 'BTC',
        price: parsePrice('65000.1'),
        book: { bid: parsePrice('65000.09'), ask: parsePrice('65000.11') },
        open24h: parsePrice('70000'),
        volume24h: '33278.39129',
        venueTime_ms: 1795241228900,
      },
    ]);
  });

  it('read MATIC from POL only', () => {
    const tickers = readTickers(binancePrices, [row({ symbol: 'POLUSDT' }), row({ symbol: 'MATICUSDT' })]);
    expect(tickers.map(({ coin }) => coin)).toEqual(['MATIC']);
  });

  testTickerEdges(
    (change) => readTickers(binancePrices, [changeFields(row(), names, change), row({ symbol: 'ETHUSDT' })]),
    impossiblePrices,
  );

  it.each([
    ['no time', { closeTime: undefined }],
    ['a time that is text', { closeTime: '1795241228900' }],
    ['a time of zero', { closeTime: 0 }],
    ['a price of a million digits', { lastPrice: '9'.repeat(1_000_000) }],
    ['a symbol that was not asked for', { symbol: 'SHIBUSDT' }],
    ['another quote', { symbol: 'BTCUSDC' }],
    ['a symbol that is no text', { symbol: 7 }],
    ['a symbol that every object has', { symbol: '__proto__' }],
  ])('skip a row with %s, and only that row', (_fault, change) => {
    const tickers = readTickers(binancePrices, [row(change), row({ symbol: 'ETHUSDT' })]);
    expect(tickers.map(({ coin }) => coin)).toEqual(['ETH']);
  });

  it.each([null, 'text', 7, []])('skip a row that is %j', (entry) => {
    expect(readTickers(binancePrices, [entry, row()])).toHaveLength(1);
  });

  it('count a coin once, with its last row, however often it is listed', () => {
    expect(readTickers(binancePrices, [row(), row({ lastPrice: '1' })])).toMatchObject([{ price: parsePrice('1') }]);
  });

  it.each([
    [{ code: -1121, msg: 'Invalid symbol.' }, 'question_refused'],
    [{ code: -1003, msg: 'Too many requests.' }, 'rate_limited'],
    [{ code: 0, msg: 'Service unavailable from a restricted location' }, 'unavailable'],
    [{ code: 'constructor' }, 'unavailable'],
    [{}, 'unavailable'],
    [null, 'unavailable'],
    ['text', 'unavailable'],
  ])('are refused as a whole when the answer is %j: %s', (answer, fault) => {
    expect(faultOf(() => readTickers(binancePrices, answer))).toBe(fault);
  });
});

describe('Binance’s candles', () => {
  const kline = [
    1586987400000,
    '6733.5',
    '6737.79',
    '6726.61',
    '6727.14',
    '121.2',
    1586987699999,
    '8.1',
    22,
    '5',
    '3',
    '0',
  ];

  it('are read in the order open, high, low, close, base volume', () => {
    expect(parseBinanceKlines([kline])).toEqual([
      { start_ms: 1586987400000, open: '6733.5', high: '6737.79', low: '6726.61', close: '6727.14', volume: '121.2' },
    ]);
  });

  it.each([
    ['an error', { code: -1121, msg: 'Invalid symbol.' }],
    ['a short row', [kline, kline.slice(0, 5)]],
    ['numbers for prices', [[1586987400000, 1, 2, 1, 2, 3]]],
    ['a time that is text', [['1586987400000', '1', '2', '1', '2', '3']]],
  ])('are refused as a whole for %s', (_fault, answer) => {
    expect(() => parseBinanceKlines(answer)).toThrow(SourceError);
  });
});
