import { describe, expect, it } from 'vitest';
import { kucoinPrices, parseKucoinCandles } from '../../../src/markets/sources/kucoin.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { writeTicker } from '../../support/node/venues/venue-kucoin.ts';
import { testRefusedAnswers, testTickers } from '../../support/markets/ticker-edges.ts';

const market = { price: '65000.1', ask: '65000.2', open: '63999.85', volume: '1836.25', age_ms: 0 };
const row = (fields: object = {}) => writeTicker('BTC-USDT', { ...market, fields: { ...fields } });

const TIME_MS = 1795241228900;
const envelope = (...ticker: unknown[]) => ({ code: '200000', data: { time: TIME_MS, ticker } });
const names = { price: 'last', open: 'changePrice', volume: 'vol' };

const refusals = [
  [{ code: '400100', msg: 'This pair is not provided at present' }, 'question_refused'],
  [{ code: '900001', msg: 'Unsupported trading pair.' }, 'question_refused'],
  [{ code: '429000', msg: 'Too Many Requests' }, 'rate_limited'],
  [{ code: '500000', msg: 'Internal Server Error' }, 'unavailable'],
  [{ code: 'constructor', data: {} }, 'unavailable'],
  [{ code: 200000, data: { time: TIME_MS, ticker: [row()] } }, 'unavailable'],
  [{ code: '200000' }, 'unavailable'],
  [{ code: '200000', data: null }, 'unavailable'],
  [[], 'unavailable'],
  [null, 'unavailable'],
] as const;
const read = (...rows: unknown[]) => readTickers(kucoinPrices, envelope(...rows));

describe('KuCoin’s tickers', () => {
  it('are read with the open computed from the price’s change, the base volume, and one time for all', () => {
    expect(read(row())).toEqual([
      {
        coin: 'BTC',
        price: parsePrice('65000.1'),
        book: { bid: parsePrice('65000.1'), ask: parsePrice('65000.2') },
        open24h: parsePrice('63999.85'),
        volume24h: '1836.25',
        venueTime_ms: TIME_MS,
      },
    ]);
  });

  it('are those of the market against USDT only, and MATIC is read from POL', () => {
    const others = ['BTC-USDC', 'SHIB-USDT', 'BTC3L-USDT', 'MATIC-USDT'].map((symbol) => row({ symbol }));
    const tickers = read(...others, row({ symbol: 'POL-USDT' }));
    expect(tickers.map(({ coin }) => coin)).toEqual(['MATIC']);
  });

  testTickers(read, row, names, { symbol: 'ETH-USDT' }, [
    ['a rise by the whole price', '65000.1'],
    ['a rise by more than the price', '70000'],
    ['a fall from more than ten billion', '-1e10'],
  ]);

  it('read a change of zero, one below zero, and one with an exponent', () => {
    const openOf = (changePrice: string) => read(row({ changePrice }))[0]?.open24h;
    expect(openOf('0')).toBe(parsePrice('65000.1'));
    expect(openOf('-98.5')).toBe(parsePrice('65098.6'));
    expect(openOf('-1e-8')).toBe(parsePrice('65000.10000001'));
  });

  testRefusedAnswers(
    (answer) => readTickers(kucoinPrices, answer),
    [
      ...refusals,
      [{ code: '200000', data: [row()] }, 'unavailable'],
      [{ code: '200000', data: { ticker: [row()] } }, 'unavailable'],
      [{ code: '200000', data: { time: String(TIME_MS), ticker: [row()] } }, 'unavailable'],
      [{ code: '200000', data: { time: 0, ticker: [row()] } }, 'unavailable'],
      [{ code: '200000', data: { time: TIME_MS, ticker: { 0: row() } } }, 'unavailable'],
    ],
  );
});

describe('KuCoin’s candles', () => {
  const candle = ['1795237200', '65000', '65010', '65100', '64900', '29.11357276', '1892889.301529914'];
  const withField = (index: number, value: unknown) => candle.map((field, at) => (at === index ? value : field));

  it('are read in the order open, close, high, low, base volume, with a start in seconds', () => {
    expect(parseKucoinCandles({ code: '200000', data: [candle] })).toEqual([
      { start_ms: 1795237200000, open: '65000', high: '65100', low: '64900', close: '65010', volume: '29.11357276' },
    ]);
  });

  it('may be none', () => {
    expect(parseKucoinCandles({ code: '200000', data: [] })).toEqual([]);
  });

  testRefusedAnswers(parseKucoinCandles, [
    ...refusals,
    [{ code: '200000', data: [candle, candle.slice(0, 5)] }, 'unavailable'],
    [{ code: '200000', data: [withField(0, 1795237200)] }, 'unavailable'],
    [{ code: '200000', data: [withField(0, '2026-11-21')] }, 'unavailable'],
    [{ code: '200000', data: [withField(2, 65010)] }, 'unavailable'],
    [{ code: '200000', data: [withField(4, null)] }, 'unavailable'],
    [{ code: '200000', data: [withField(1, '9'.repeat(200))] }, 'unavailable'],
  ]);
});
