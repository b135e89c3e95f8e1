import { describe, expect, it } from 'vitest';
import { krakenPrices } from '../../../src/markets/sources/kraken.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { writePair } from '../../support/node/venues/venue-kraken.ts';
import { type TickerChange, testRefusedAnswers, testTickerEdges } from '../../support/markets/ticker-edges.ts';

const market = { price: '73380.6', ask: '73380.7', open: '71501.5', volume: '598.03698452', age_ms: 0 };
const pair = (fields: object = {}) => writePair({ ...market, fields: { ...fields } });

const envelope = (result: Record<string, unknown>) => ({ error: [], result });

const changePair = (change: TickerChange) =>
  pair({
    ...('price' in change && { c: [change.price, '0.00160710'] }),
    ...('volume' in change && { v: ['165.16072288', change.volume] }),
  });
const read = (result: Record<string, unknown>) => readTickers(krakenPrices, envelope(result));

describe('Kraken’s tickers', () => {
  it('are read with the volume of 24 hours, without a time, and without the day’s open', () => {
    expect(read({ XBTUSDT: pair() })).toEqual([
      {
        coin: 'BTC',
        price: parsePrice('73380.6'),
        book: { bid: parsePrice('73380.6'), ask: parsePrice('73380.7') },
        open24h: null,
        volume24h: '598.03698452',
        venueTime_ms: null,
      },
    ]);
  });

  it('are matched by the exact name that was requested', () => {
    const result = { XXBTZUSD: pair(), BTCUSDT: pair(), DOGEUSDT: pair(), XDGUSDT: pair(), XBTUSDC: pair() };
    expect(read(result).map(({ coin }) => coin)).toEqual(['DOGE']);
  });

  testTickerEdges((change) => read({ XBTUSDT: changePair(change), ETHUSDT: pair() }));

  it.each([
    ['no last trade', { c: null }],
    ['an empty last trade', { c: [] }],
    ['a last trade that is text', { c: '73380.6' }],
  ])('skip a pair with %s, and only that pair', (_fault, change) => {
    const tickers = read({ XBTUSDT: pair(change), ETHUSDT: pair() });
    expect(tickers.map(({ coin }) => coin)).toEqual(['ETH']);
  });

  it.each([null, 7, 'text', []])('skip a pair that is %j', (row) => {
    expect(read({ XBTUSDT: row, ETHUSDT: pair() })).toHaveLength(1);
  });

  it.each([null, [], ['1'], '598'])('keep the price of a pair whose volumes are %j', (v) => {
    expect(read({ XBTUSDT: pair({ v }) })).toMatchObject([{ volume24h: null }]);
  });

  it('are accepted when there is only a warning', () => {
    const warned = { error: ['WGeneral:Degraded service'], result: { XBTUSDT: pair() } };
    expect(readTickers(krakenPrices, warned)).toMatchObject([{ coin: 'BTC' }]);
  });

  testRefusedAnswers(
    (answer) => readTickers(krakenPrices, answer),
    [
      [{ error: ['WGeneral:Degraded service', 'EService:Busy'], result: { XBTUSDT: pair() } }, 'unavailable'],
      [{ error: ['WGeneral:Degraded service'] }, 'unavailable'],
      [{ error: ['EQuery:Unknown asset pair'], result: {} }, 'question_refused'],
      [{ error: ['EQuery:Unknown asset pair'] }, 'question_refused'],
      [{ error: ['EGeneral:Too many requests'] }, 'rate_limited'],
      [{ error: ['EAPI:Rate limit exceeded'] }, 'rate_limited'],
      [{ error: ['EService:Throttled: 1795241228'] }, 'rate_limited'],
      [{ error: ['EService:Busy'], result: { XBTUSDT: pair() } }, 'unavailable'],
      [{ error: [7], result: { XBTUSDT: pair() } }, 'unavailable'],
      [{ error: [] }, 'unavailable'],
      [{ error: [], result: [pair()] }, 'unavailable'],
      [{ result: { XBTUSDT: pair() } }, 'unavailable'],
      [[], 'unavailable'],
      [null, 'unavailable'],
    ],
  );
});
