import { describe, expect, it } from 'vitest';
import { gatePrices } from '../../../src/markets/sources/gate.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { writeTicker } from '../../support/node/venues/venue-gate.ts';
import { testRefusedAnswers, testTickers } from '../../support/markets/ticker-edges.ts';

const market = { price: '65000.1', ask: '65000.2', open: '64039.5', volume: '4722.912133756', age_ms: 0 };
const row = (fields: object = {}) => writeTicker('BTC_USDT', { ...market, fields: { ...fields } });

const names = { price: 'last', open: 'change_percentage', volume: 'base_volume' };
const read = (...rows: unknown[]) => readTickers(gatePrices, rows);

describe('Gate’s tickers', () => {
  it('are read with the open computed from a change in percent (not the day’s), the base volume, and no time', () => {
    expect(read(row())).toEqual([
      {
        coin: 'BTC',
        price: parsePrice('65000.1'),
        book: { bid: parsePrice('65000.1'), ask: parsePrice('65000.2') },
        // 65000.1 / 1.015
        open24h: parsePrice('64039.50738916'),
        volume24h: '4722.912133756',
        venueTime_ms: null,
      },
    ]);
  });

  it('are those of the market against USDT only, and MATIC is read from POL', () => {
    const others = ['BTC_USDC', 'SHIB_USDT', 'BTC3L_USDT', 'MATIC_USDT', 'BTC-USDT'];
    const rows = others.map((pair) => row({ currency_pair: pair }));
    expect(read(...rows, row({ currency_pair: 'POL_USDT' })).map(({ coin }) => coin)).toEqual(['MATIC']);
  });

  testTickers(read, row, names, { currency_pair: 'ETH_USDT' }, [
    ['a fall of 100 %', '-100'],
    ['a fall of more than 100 %', '-100.01'],
    ['a rise that leaves nothing', '1e30'],
  ]);

  it('read a change of zero, one below zero, and one with an exponent', () => {
    const openOf = (percent: string) => read(row({ change_percentage: percent }))[0]?.open24h;
    expect(openOf('0')).toBe(parsePrice('65000.1'));
    expect(openOf('-50')).toBe(parsePrice('130000.2'));
    expect(openOf('1E+2')).toBe(parsePrice('32500.05'));
  });

  testRefusedAnswers(
    (answer) => readTickers(gatePrices, answer),
    [
      [{ label: 'INVALID_CURRENCY_PAIR', message: 'invalid currency pair' }, 'question_refused'],
      [{ label: 'INVALID_CURRENCY', message: 'Invalid currency' }, 'question_refused'],
      [{ label: 'TOO_MANY_REQUESTS', message: 'Request Rate limit Exceeded' }, 'rate_limited'],
      [{ label: 'SERVER_ERROR', message: 'internal server error' }, 'unavailable'],
      [{ label: 'constructor' }, 'unavailable'],
      [{ 0: row() }, 'unavailable'],
      [null, 'unavailable'],
      ['text', 'unavailable'],
    ],
  );
});
