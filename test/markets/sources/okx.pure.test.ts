import { describe, expect, it } from 'vitest';
import { okxPrices } from '../../../src/markets/sources/okx.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { faultOf } from '../../support/runtime/fault-of.ts';
import { changeFields, impossiblePrices, testTickerEdges } from '../../support/markets/ticker-edges.ts';

const row = (change: Record<string, unknown> = {}) => ({
  instType: 'SPOT',
  instId: 'BTC-USDT',
  last: '65000.1',
  lastSz: '0.0012',
  askPx: '65000.2',
  askSz: '1.25',
  bidPx: '65000.1',
  bidSz: '0.75',
  open24h: '64000.5',
  high24h: '66000',
  low24h: '63900',
  volCcy24h: '338000000.5',
  vol24h: '5200.25',
  ts: '1795241228900',
  sodUtc0: '61000',
  sodUtc8: '62000',
  ...change,
});

const envelope = (...data: unknown[]) => ({ code: '0', msg: '', data });
const names = { price: 'last', open: 'open24h', volume: 'vol24h' };

describe('OKX’s tickers', () => {
  it('are read with the rolling open (not the day’s), the volume in the base asset (not the quote) and their own time', () => {
    expect(readTickers(okxPrices, envelope(row()))).toEqual([
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
    const tickers = readTickers(okxPrices, envelope(...others, row({ instId: 'POL-USDT' })));
    expect(tickers.map(({ coin }) => coin)).toEqual(['MATIC']);
  });

  testTickerEdges(
    (change) => readTickers(okxPrices, envelope(changeFields(row(), names, change), row({ instId: 'ETH-USDT' }))),
    impossiblePrices,
  );

  it.each([undefined, null, '', '0', 'soon', 1795241228900, '1795241228900.5', '-1795241228900', '9'.repeat(200)])(
    'skip a row whose time is %j',
    (ts) => {
      expect(readTickers(okxPrices, envelope(row({ ts }), row({ instId: 'ETH-USDT' })))).toMatchObject([
        { coin: 'ETH' },
      ]);
    },
  );

  it.each([null, 'text', 7, []])('skip a row that is %j', (entry) => {
    expect(readTickers(okxPrices, envelope(entry, row()))).toHaveLength(1);
  });

  it('count a coin once, with its last row, however often it is listed', () => {
    expect(readTickers(okxPrices, envelope(row(), row({ last: '1' })))).toMatchObject([{ price: parsePrice('1') }]);
  });

  it.each([
    [{ code: '51001', msg: 'Instrument ID does not exist', data: [] }, 'question_refused'],
    [{ code: '50011', msg: 'Too Many Requests', data: [] }, 'rate_limited'],
    [{ code: '50001', msg: 'Service temporarily unavailable', data: [] }, 'unavailable'],
    [{ code: 'constructor', msg: '', data: [row()] }, 'unavailable'],
    [{ code: 0, msg: '', data: [row()] }, 'unavailable'],
    [{ code: '0', msg: '', data: { 0: row() } }, 'unavailable'],
    [{ code: '0', msg: '' }, 'unavailable'],
    [[row()], 'unavailable'],
    [null, 'unavailable'],
  ])('are refused as a whole when the answer is %j', (answer, fault) => {
    expect(faultOf(() => readTickers(okxPrices, answer))).toBe(fault);
  });
});
