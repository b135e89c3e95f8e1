import { describe, expect, it } from 'vitest';
import { binancePrices, parseBinanceKlines } from '../../../src/markets/sources/binance.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { SourceError } from '../../../src/markets/sources/source-error.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { writeTicker } from '../../support/node/venues/venue-binance.ts';
import { impossiblePrices, testRefusedAnswers, testTickers } from '../../support/markets/ticker-edges.ts';

const TIME_MS = 1795241228900;
const market = { price: '65000.1', bid: '65000.09', ask: '65000.11', open: '70000', volume: '33278.39129', age_ms: 0 };
const row = (fields: object = {}) => writeTicker('BTCUSDT', { ...market, fields: { ...fields } }, TIME_MS);

const names = { price: 'lastPrice', open: 'openPrice', volume: 'volume' };
const read = (...rows: unknown[]) => readTickers(binancePrices, rows);

describe('Binance’s tickers', () => {
  it('are read with the rolling open, the base volume and the venue’s time', () => {
    expect(read(row())).toEqual([
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
    const tickers = read(row({ symbol: 'POLUSDT' }), row({ symbol: 'MATICUSDT' }));
    expect(tickers.map(({ coin }) => coin)).toEqual(['MATIC']);
  });

  testTickers(read, row, names, { symbol: 'ETHUSDT' }, impossiblePrices);

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
    const tickers = read(row(change), row({ symbol: 'ETHUSDT' }));
    expect(tickers.map(({ coin }) => coin)).toEqual(['ETH']);
  });

  testRefusedAnswers(
    (answer) => readTickers(binancePrices, answer),
    [
      [{ code: -1121, msg: 'Invalid symbol.' }, 'question_refused'],
      [{ code: -1003, msg: 'Too many requests.' }, 'rate_limited'],
      [{ code: 0, msg: 'Service unavailable from a restricted location' }, 'unavailable'],
      [{ code: 'constructor' }, 'unavailable'],
      [{}, 'unavailable'],
      [null, 'unavailable'],
      ['text', 'unavailable'],
    ],
  );
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
