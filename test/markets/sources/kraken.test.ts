import { describe, expect, it } from 'vitest';
import { parseKrakenTickers } from '../../../src/markets/sources/kraken.ts';
import { SourceError } from '../../../src/markets/sources/source-error.ts';
import { parsePrice } from '../../../src/money/prices.ts';

const pair = (change: Record<string, unknown> = {}) => ({
  a: ['73380.70000', '1', '1.000'],
  b: ['73380.60000', '1', '1.000'],
  c: ['73380.60000', '0.00160710'],
  v: ['165.16072288', '598.03698452'],
  p: ['72647.97204', '71501.57520'],
  t: [6405, 21103],
  l: ['71321.80000', '68666.00000'],
  h: ['73580.00000', '73580.00000'],
  o: '71450.70000',
  ...change,
});

describe('Kraken’s tickers', () => {
  it('are read with the volume of 24 hours, without a time, and without the day’s open', () => {
    expect(parseKrakenTickers({ error: [], result: { XBTUSDT: pair() } })).toEqual([
      { coin: 'BTC', price: parsePrice('73380.6'), open24h: null, volume24h: '598.03698452', venueTime_ms: null },
    ]);
  });

  it('are mapped by the name asked for, never by likeness', () => {
    const result = { XXBTZUSD: pair(), BTCUSDT: pair(), DOGEUSDT: pair(), XDGUSDT: pair(), BNBUSDT: pair() };
    expect(parseKrakenTickers({ error: [], result }).map(({ coin }) => coin)).toEqual(['DOGE', 'BNB']);
  });

  it.each([
    ['a price of zero', { c: ['0.00000', '1'] }],
    ['a negative price', { c: ['-3', '1'] }],
    ['a price that is no number', { c: ['nan', '1'] }],
    ['an empty price', { c: ['', '1'] }],
    ['a price as a JSON number', { c: [73380.6, '1'] }],
    ['no last trade', { c: null }],
    ['an empty last trade', { c: [] }],
  ])('drop a pair with %s, and that pair only', (_fault, change) => {
    const tickers = parseKrakenTickers({ error: [], result: { XBTUSDT: pair(change), ETHUSDT: pair() } });
    expect(tickers.map(({ coin }) => coin)).toEqual(['ETH']);
  });

  it.each([null, 7, 'text', []])('drop a pair that is %j', (row) => {
    expect(parseKrakenTickers({ error: [], result: { XBTUSDT: row, ETHUSDT: pair() } })).toHaveLength(1);
  });

  it('keep the price of a pair whose volume is unreadable', () => {
    for (const v of [null, ['1'], ['1', 'nan'], ['1', 5]]) {
      expect(parseKrakenTickers({ error: [], result: { XBTUSDT: pair({ v }) } })[0]).toMatchObject({ volume24h: null });
    }
  });

  it.each([
    { error: ['EQuery:Unknown asset pair'], result: {} },
    { error: ['EService:Busy'], result: { XBTUSDT: pair() } },
    { error: ['EGeneral:Too many requests'] },
    { error: [] },
    { result: { XBTUSDT: pair() } },
    [],
    null,
  ])('are refused as a whole when the answer is %j', (answer) => {
    expect(() => parseKrakenTickers(answer)).toThrow(SourceError);
  });
});
