import { describe, expect, it } from 'vitest';
import { okxPrices } from '../../../src/markets/sources/okx.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { writeTicker } from '../../support/node/venues/venue-okx.ts';
import { impossiblePrices, testRefusedAnswers, testTickers } from '../../support/markets/ticker-edges.ts';

const TIME_MS = 1795241228900;
const market = { price: '65000.1', ask: '65000.2', open: '64000.5', volume: '5200.25', age_ms: 0 };
const row = (fields: object = {}) => writeTicker('BTC-USDT', { ...market, fields: { ...fields } }, TIME_MS);

const envelope = (...data: unknown[]) => ({ code: '0', msg: '', data });
const names = { price: 'last', open: 'open24h', volume: 'vol24h' };
const read = (...rows: unknown[]) => readTickers(okxPrices, envelope(...rows));

describe('OKX’s tickers', () => {
  it('are read with the rolling open (not the day’s), the volume in the base asset (not the quote) and their own time', () => {
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

  it('are those of the spot market against USDT only, and MATIC is read from POL', () => {
    const others = [
      row({ instType: 'SWAP' }),
      row({ instType: 'SWAP', instId: 'BTC-USDT-SWAP' }),
      row({ instId: 'BTC-USDC' }),
      row({ instId: 'SHIB-USDT' }),
      row({ instId: 'MATIC-USDT' }),
      row({ instType: undefined }),
    ];
    const tickers = read(...others, row({ instId: 'POL-USDT' }));
    expect(tickers.map(({ coin }) => coin)).toEqual(['MATIC']);
  });

  testTickers(read, row, names, { instId: 'ETH-USDT' }, impossiblePrices);

  it.each([undefined, null, '', '0', 'soon', 1795241228900, '1795241228900.5', '-1795241228900', '9'.repeat(200)])(
    'skip a row whose time is %j',
    (ts) => {
      expect(read(row({ ts }), row({ instId: 'ETH-USDT' }))).toMatchObject([{ coin: 'ETH' }]);
    },
  );

  testRefusedAnswers(
    (answer) => readTickers(okxPrices, answer),
    [
      [{ code: '51001', msg: 'Instrument ID does not exist', data: [] }, 'question_refused'],
      [{ code: '50011', msg: 'Too Many Requests', data: [] }, 'rate_limited'],
      [{ code: '50001', msg: 'Service temporarily unavailable', data: [] }, 'unavailable'],
      [{ code: 'constructor', msg: '', data: [row()] }, 'unavailable'],
      [{ code: 0, msg: '', data: [row()] }, 'unavailable'],
      [{ code: '0', msg: '', data: { 0: row() } }, 'unavailable'],
      [{ code: '0', msg: '' }, 'unavailable'],
      [[row()], 'unavailable'],
      [null, 'unavailable'],
    ],
  );
});
