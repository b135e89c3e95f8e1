import { describe, expect, it } from 'vitest';
import { coinbasePrices } from '../../../src/markets/sources/coinbase.ts';
import { readTickers } from '../../../src/markets/sources/price-feed.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { writeProduct } from '../../support/node/venues/venue-coinbase.ts';
import { testRefusedAnswers, testTickers } from '../../support/markets/ticker-edges.ts';

const market = { price: '65000.1', open: '62500', volume: '310.25', age_ms: 0 };
const row = (fields: object = {}) =>
  writeProduct('BTC-USDT', { ...market, fields: { price_percentage_change_24h: '4.00016', ...fields } });

const envelope = (...products: unknown[]) => ({ products, num_products: products.length });
const names = { price: 'price', open: 'price_percentage_change_24h', volume: 'volume_24h' };
const read = (...rows: unknown[]) => readTickers(coinbasePrices, envelope(...rows));

describe('Coinbase’s tickers', () => {
  it('are read with the open computed from a change in percent, the base volume, and no time', () => {
    expect(read(row())).toEqual([
      {
        coin: 'BTC',
        price: parsePrice('65000.1'),
        book: null,
        open24h: parsePrice('62500'),
        volume24h: '310.25',
        venueTime_ms: null,
      },
    ]);
  });

  it('have the exact open for a change of many digits, and for a change below zero', () => {
    const change = '-1.94109772423025';
    expect(read(row({ price_percentage_change_24h: change }))).toMatchObject([
      // 65000.1 / 0.9805890227576975 is 66286.79139931740...
      { open24h: parsePrice('66286.79139932') },
    ]);
  });

  it('are those of the spot market against USDT only', () => {
    const others = [
      row({ product_id: 'BTC-USD' }),
      row({ product_id: 'BTC-USDC' }),
      row({ product_id: 'USDT-USDC' }),
      row({ product_id: 'BIT-27MAR26-CDE', product_type: 'FUTURE' }),
      row({ product_type: 'FUTURE' }),
    ];
    const tickers = read(...others, row({ product_id: 'DOGE-USDT' }));
    expect(tickers.map(({ coin }) => coin)).toEqual(['DOGE']);
  });

  it.each([
    { is_disabled: true },
    { trading_disabled: true },
    { view_only: true },
    { cancel_only: true },
    { limit_only: true },
    { post_only: true },
    { auction_mode: true },
    { status: 'offline' },
    { status: 'delisted' },
  ])('skip a product that does not trade freely, whose price may be old or an auction’s: %o', (change) => {
    const tickers = read(row(change), row({ product_id: 'ETH-USDT' }));
    expect(tickers.map(({ coin }) => coin)).toEqual(['ETH']);
  });

  it('accept a product that trades, whichever fields say so', () => {
    const { status: _status, auction_mode: _mode, ...bare } = row();
    expect(read(bare, row({ product_id: 'ETH-USDT', view_only: false }))).toHaveLength(2);
  });

  testTickers(read, row, names, { product_id: 'ETH-USDT' }, [
    ['a fall of 100 %', '-100'],
    ['a fall of more than 100 %', '-250.5'],
    ['a rise that leaves nothing', '1e30'],
  ]);

  it('read a change of zero, and one with an exponent', () => {
    const openOf = (percent: string) => read(row({ price_percentage_change_24h: percent }))[0]?.open24h;
    expect(openOf('0')).toBe(parsePrice('65000.1'));
    expect(openOf('-0')).toBe(parsePrice('65000.1'));
    expect(openOf('1e2')).toBe(parsePrice('32500.05'));
  });

  testRefusedAnswers(
    (answer) => readTickers(coinbasePrices, answer),
    [
      [{ error: 'INVALID_ARGUMENT', error_details: 'product_ids', message: 'product_ids' }, 'question_refused'],
      [{ error: 'RESOURCE_EXHAUSTED', error_details: '', message: '' }, 'rate_limited'],
      [{ error: 'INTERNAL', error_details: '', message: '' }, 'unavailable'],
      [{ message: 'NotFound' }, 'unavailable'],
      [{ errors: [{ id: 'not_found', message: 'not found' }] }, 'unavailable'],
      [{ products: { 0: row() } }, 'unavailable'],
      [[row()], 'unavailable'],
      [null, 'unavailable'],
    ],
  );
});
