import { describe, expect, it } from 'vitest';
import type { MarketCandle } from '../../../src/markets/candles/candle-source.ts';
import { binancePrices, parseBinanceKlines } from '../../../src/markets/sources/binance.ts';
import { bybitPrices, parseBybitKlines } from '../../../src/markets/sources/bybit.ts';
import { coinbasePrices } from '../../../src/markets/sources/coinbase.ts';
import { gatePrices } from '../../../src/markets/sources/gate.ts';
import { krakenPrices } from '../../../src/markets/sources/kraken.ts';
import { kucoinPrices, parseKucoinCandles } from '../../../src/markets/sources/kucoin.ts';
import { okxPrices } from '../../../src/markets/sources/okx.ts';
import { type PriceFeed, readTickers } from '../../../src/markets/sources/price-feed.ts';
import { SourceError } from '../../../src/markets/sources/source-error.ts';
import type { Coin } from '../../../src/money/assets.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { writeTicker as writeBinance } from '../../support/node/venues/venue-binance.ts';
import { writeTicker as writeBybit } from '../../support/node/venues/venue-bybit.ts';
import { writeProduct } from '../../support/node/venues/venue-coinbase.ts';
import { writeTicker as writeGate } from '../../support/node/venues/venue-gate.ts';
import { writePair } from '../../support/node/venues/venue-kraken.ts';
import { writeTicker as writeKucoin } from '../../support/node/venues/venue-kucoin.ts';
import { writeTicker as writeOkx } from '../../support/node/venues/venue-okx.ts';

/** What the parsers make of the venues’ answers, right ones and wrong ones. */

const TIME_MS = 1795241228900;
const market = { price: '65000.1', ask: '65000.2', open: '64000.5', volume: '5200.25', age_ms: 0 };

type Fields = Readonly<Record<string, unknown>>;
type Named = readonly (readonly [name: string, value: unknown])[];
type Refused = readonly (readonly [answer: unknown, fault: string])[];

interface Tickers {
  readonly feed: PriceFeed;
  readonly answer: (...rows: readonly unknown[]) => unknown;
  /** The row of bitcoin, with other fields. */
  readonly row: (fields?: Fields) => Fields;
  /** What makes it the row of another coin. */
  readonly others: Readonly<Partial<Record<Coin, Fields>>>;
  /** The fields for the price, the volume, and the open or what it is computed from. */
  readonly names: { readonly price: string; readonly volume: string; readonly open?: string };
  /** The value of such a field, where it is more than a number. */
  readonly write?: (field: string, value: unknown) => unknown;
  /** What the venue gives beside price and volume. */
  readonly gives: { readonly open24h: string | null; readonly book: boolean; readonly time: boolean };
  /** Other values of the field for the open, and the opens that they mean. */
  readonly opens?: readonly (readonly [value: string, open: string])[];
  /** Values of it without an open. */
  readonly noOpens: Named;
  readonly skipped: readonly Fields[];
  readonly refused: Refused;
}

/** What a venue may send instead of a number. */
const unreadableNumbers: Named = [
  ['nothing', undefined],
  ['null', null],
  ['empty text', ''],
  ['a blank', ' '],
  ['nan', 'nan'],
  ['NaN', 'NaN'],
  ['infinity', 'Infinity'],
  ['a dash', '-'],
  ['a decimal comma', '1,5'],
  ['a JSON number, which may have lost digits', 65000.1],
  ['a boolean', true],
  ['a list', ['65000.1']],
  ['200 digits', '9'.repeat(200)],
  ['a million digits', '9'.repeat(1_000_000)],
];

/** Beyond any market. As a volume it is read, since no bound for volumes would be certain. */
const absurdPrices: Named = [['an exponent beyond any market', '1e999']];

const impossiblePrices: Named = [
  ['zero', '0'],
  ['zero with decimals', '0.00000000'],
  ['less than zero', '-65000.1'],
  ['too little for 8 decimals', '0.000000001'],
  ['ten billion', '1e10'],
];

/** Changes in percent that leave no open. */
const impossibleChanges: Named = [
  ['a fall of 100 %', '-100'],
  ['a fall of more than 100 %', '-100.01'],
  ['a rise that leaves nothing', '1e30'],
];

const rowOf = {
  Binance: (fields: Fields = {}) => writeBinance('BTCUSDT', { ...market, fields }, TIME_MS),
  OKX: (fields: Fields = {}) => writeOkx('BTC-USDT', { ...market, fields }, TIME_MS),
  Coinbase: (fields: Fields = {}) =>
    writeProduct('BTC-USDT', { ...market, fields: { price_percentage_change_24h: '4.00016', ...fields } }),
  KuCoin: (fields: Fields = {}) => writeKucoin('BTC-USDT', { ...market, fields }),
  Kraken: (fields: Fields = {}) => ({ pair: 'XBTUSDT', ...writePair({ ...market, fields }) }),
  Gate: (fields: Fields = {}) => writeGate('BTC_USDT', { ...market, fields: { change_percentage: '1.50', ...fields } }),
  Bybit: (fields: Fields = {}) => writeBybit('BTCUSDT', { ...market, fields }),
};

/** Kraken names the pairs as members; here a row names its own. */
const pairsOf = (...rows: readonly unknown[]) =>
  Object.fromEntries(rows.map((row) => [(row as Fields | null)?.['pair'] ?? 'XBTUSDT', row]));

const bybitAnswer = (list: unknown, change: Fields = {}) => ({
  retCode: 0,
  retMsg: 'OK',
  result: { symbol: 'BTCUSDT', category: 'spot', list, ...change },
  retExtInfo: {},
  time: TIME_MS,
});

const kucoinRefused: Refused = [
  [{ code: '400100', msg: 'This pair is not provided at present' }, 'question_refused'],
  [{ code: '900001', msg: 'Unsupported trading pair.' }, 'question_refused'],
  [{ code: '429000', msg: 'Too Many Requests' }, 'rate_limited'],
  [{ code: '500000', msg: 'Internal Server Error' }, 'unavailable'],
  [{ code: 'constructor', data: {} }, 'unavailable'],
  [{ code: '200000' }, 'unavailable'],
  [{ code: '200000', data: null }, 'unavailable'],
  [[], 'unavailable'],
  [null, 'unavailable'],
];

const venues: Readonly<Record<keyof typeof rowOf, Tickers>> = {
  Binance: {
    feed: binancePrices,
    answer: (...rows) => rows,
    row: rowOf.Binance,
    others: { ETH: { symbol: 'ETHUSDT' }, MATIC: { symbol: 'POLUSDT' } },
    names: { price: 'lastPrice', volume: 'volume', open: 'openPrice' },
    gives: { open24h: '64000.5', book: true, time: true },
    noOpens: impossiblePrices,
    skipped: [
      ...[undefined, '1795241228900', 0].map((closeTime) => ({ closeTime })),
      ...['SHIBUSDT', 'BTCUSDC', 'MATICUSDT', 7, '__proto__'].map((symbol) => ({ symbol })),
    ],
    refused: [
      [{ code: -1121, msg: 'Invalid symbol.' }, 'question_refused'],
      [{ code: -1003, msg: 'Too many requests.' }, 'rate_limited'],
      [{ code: 0, msg: 'Service unavailable from a restricted location' }, 'unavailable'],
      [{ code: 'constructor' }, 'unavailable'],
      [{}, 'unavailable'],
      [null, 'unavailable'],
      ['text', 'unavailable'],
    ],
  },
  OKX: {
    feed: okxPrices,
    answer: (...data) => ({ code: '0', msg: '', data }),
    row: rowOf.OKX,
    others: { ETH: { instId: 'ETH-USDT' }, MATIC: { instId: 'POL-USDT' } },
    names: { price: 'last', volume: 'vol24h', open: 'open24h' },
    gives: { open24h: '64000.5', book: true, time: true },
    noOpens: impossiblePrices,
    skipped: [
      ...['SWAP', undefined].map((instType) => ({ instType })),
      { instType: 'SWAP', instId: 'BTC-USDT-SWAP' },
      ...['BTC-USDC', 'SHIB-USDT', 'MATIC-USDT'].map((instId) => ({ instId })),
      ...[undefined, null, '', '0', 'soon', TIME_MS].map((ts) => ({ ts })),
      ...['1795241228900.5', '-1795241228900', '9'.repeat(200)].map((ts) => ({ ts })),
    ],
    refused: [
      [{ code: '51001', msg: 'Instrument ID does not exist', data: [] }, 'question_refused'],
      [{ code: '50011', msg: 'Too Many Requests', data: [] }, 'rate_limited'],
      [{ code: '50001', msg: 'Service temporarily unavailable', data: [] }, 'unavailable'],
      [{ code: 'constructor', msg: '', data: [rowOf.OKX()] }, 'unavailable'],
      [{ code: 0, msg: '', data: [rowOf.OKX()] }, 'unavailable'],
      [{ code: '0', msg: '', data: { 0: rowOf.OKX() } }, 'unavailable'],
      [{ code: '0', msg: '' }, 'unavailable'],
      [[rowOf.OKX()], 'unavailable'],
      [null, 'unavailable'],
    ],
  },
  Coinbase: {
    feed: coinbasePrices,
    answer: (...products) => ({ products, num_products: products.length }),
    row: rowOf.Coinbase,
    others: { ETH: { product_id: 'ETH-USDT' }, DOGE: { product_id: 'DOGE-USDT' } },
    names: { price: 'price', volume: 'volume_24h', open: 'price_percentage_change_24h' },
    gives: { open24h: '62500', book: false, time: false },
    opens: [
      // 65000.1 / 0.9805890227576975 is 66286.79139931740...
      ['-1.94109772423025', '66286.79139932'],
      ['0', '65000.1'],
      ['-0', '65000.1'],
      ['1e2', '32500.05'],
    ],
    noOpens: impossibleChanges,
    skipped: [
      ...['BTC-USD', 'BTC-USDC', 'USDT-USDC'].map((product_id) => ({ product_id })),
      { product_id: 'BIT-27MAR26-CDE', product_type: 'FUTURE' },
      { product_type: 'FUTURE' },
      // Products that do not trade freely, whose price may be old or an auction’s.
      ...['is_disabled', 'trading_disabled', 'view_only'].map((flag) => ({ [flag]: true })),
      ...['cancel_only', 'limit_only', 'post_only', 'auction_mode'].map((flag) => ({ [flag]: true })),
      ...['offline', 'delisted'].map((status) => ({ status })),
    ],
    refused: [
      [{ error: 'INVALID_ARGUMENT', error_details: 'product_ids', message: 'product_ids' }, 'question_refused'],
      [{ error: 'RESOURCE_EXHAUSTED', error_details: '', message: '' }, 'rate_limited'],
      [{ error: 'INTERNAL', error_details: '', message: '' }, 'unavailable'],
      [{ message: 'NotFound' }, 'unavailable'],
      [{ errors: [{ id: 'not_found', message: 'not found' }] }, 'unavailable'],
      [{ products: { 0: rowOf.Coinbase() } }, 'unavailable'],
      [[rowOf.Coinbase()], 'unavailable'],
      [null, 'unavailable'],
    ],
  },
  KuCoin: {
    feed: kucoinPrices,
    answer: (...ticker) => ({ code: '200000', data: { time: TIME_MS, ticker } }),
    row: rowOf.KuCoin,
    others: { ETH: { symbol: 'ETH-USDT' }, MATIC: { symbol: 'POL-USDT' } },
    names: { price: 'last', volume: 'vol', open: 'changePrice' },
    gives: { open24h: '64000.5', book: true, time: true },
    opens: [
      ['0', '65000.1'],
      ['-98.5', '65098.6'],
      ['-1e-8', '65000.10000001'],
    ],
    noOpens: [
      ['a rise by the whole price', '65000.1'],
      ['a rise by more than the price', '70000'],
      ['a fall from more than ten billion', '-1e10'],
    ],
    skipped: ['BTC-USDC', 'SHIB-USDT', 'BTC3L-USDT', 'MATIC-USDT'].map((symbol) => ({ symbol })),
    refused: [
      ...kucoinRefused,
      [{ code: 200000, data: { time: TIME_MS, ticker: [rowOf.KuCoin()] } }, 'unavailable'],
      [{ code: '200000', data: [rowOf.KuCoin()] }, 'unavailable'],
      [{ code: '200000', data: { ticker: [rowOf.KuCoin()] } }, 'unavailable'],
      [{ code: '200000', data: { time: String(TIME_MS), ticker: [rowOf.KuCoin()] } }, 'unavailable'],
      [{ code: '200000', data: { time: 0, ticker: [rowOf.KuCoin()] } }, 'unavailable'],
      [{ code: '200000', data: { time: TIME_MS, ticker: { 0: rowOf.KuCoin() } } }, 'unavailable'],
    ],
  },
  Kraken: {
    feed: krakenPrices,
    answer: (...rows) => ({ error: [], result: pairsOf(...rows) }),
    row: rowOf.Kraken,
    others: { ETH: { pair: 'ETHUSDT' }, DOGE: { pair: 'XDGUSDT' } },
    names: { price: 'c', volume: 'v' },
    write: (field, value) => (field === 'c' ? [value, '0.00160710'] : ['165.16072288', value]),
    gives: { open24h: null, book: true, time: false },
    noOpens: [],
    skipped: [
      ...['XXBTZUSD', 'BTCUSDT', 'DOGEUSDT', 'XBTUSDC'].map((pair) => ({ pair })),
      ...[null, [], '65000.1'].map((c) => ({ c })),
    ],
    refused: [
      [{ error: ['WGeneral:Degraded service', 'EService:Busy'], result: pairsOf(rowOf.Kraken()) }, 'unavailable'],
      [{ error: ['WGeneral:Degraded service'] }, 'unavailable'],
      [{ error: ['EQuery:Unknown asset pair'], result: {} }, 'question_refused'],
      [{ error: ['EQuery:Unknown asset pair'] }, 'question_refused'],
      [{ error: ['EGeneral:Too many requests'] }, 'rate_limited'],
      [{ error: ['EAPI:Rate limit exceeded'] }, 'rate_limited'],
      [{ error: ['EService:Throttled: 1795241228'] }, 'rate_limited'],
      [{ error: ['EService:Busy'], result: pairsOf(rowOf.Kraken()) }, 'unavailable'],
      [{ error: [7], result: pairsOf(rowOf.Kraken()) }, 'unavailable'],
      [{ error: [] }, 'unavailable'],
      [{ error: [], result: [rowOf.Kraken()] }, 'unavailable'],
      [{ result: pairsOf(rowOf.Kraken()) }, 'unavailable'],
      [[], 'unavailable'],
      [null, 'unavailable'],
    ],
  },
  Gate: {
    feed: gatePrices,
    answer: (...rows) => rows,
    row: rowOf.Gate,
    others: { ETH: { currency_pair: 'ETH_USDT' }, MATIC: { currency_pair: 'POL_USDT' } },
    names: { price: 'last', volume: 'base_volume', open: 'change_percentage' },
    // 65000.1 / 1.015
    gives: { open24h: '64039.50738916', book: true, time: false },
    opens: [
      ['0', '65000.1'],
      ['-50', '130000.2'],
      ['1E+2', '32500.05'],
    ],
    noOpens: impossibleChanges,
    skipped: ['BTC_USDC', 'SHIB_USDT', 'BTC3L_USDT', 'MATIC_USDT', 'BTC-USDT'].map((currency_pair) => ({
      currency_pair,
    })),
    refused: [
      [{ label: 'INVALID_CURRENCY_PAIR', message: 'invalid currency pair' }, 'question_refused'],
      [{ label: 'INVALID_CURRENCY', message: 'Invalid currency' }, 'question_refused'],
      [{ label: 'TOO_MANY_REQUESTS', message: 'Request Rate limit Exceeded' }, 'rate_limited'],
      [{ label: 'SERVER_ERROR', message: 'internal server error' }, 'unavailable'],
      [{ label: 'constructor' }, 'unavailable'],
      [{ 0: rowOf.Gate() }, 'unavailable'],
      [null, 'unavailable'],
      ['text', 'unavailable'],
    ],
  },
  Bybit: {
    feed: bybitPrices,
    answer: (...rows) => bybitAnswer(rows),
    row: rowOf.Bybit,
    others: { ETH: { symbol: 'ETHUSDT' } },
    names: { price: 'lastPrice', volume: 'volume24h', open: 'prevPrice24h' },
    gives: { open24h: '64000.5', book: true, time: true },
    noOpens: impossiblePrices,
    skipped: [{ symbol: 'SHIBUSDT' }],
    refused: [
      [{ ...bybitAnswer([rowOf.Bybit()]), retCode: 10006 }, 'rate_limited'],
      [{ ...bybitAnswer([rowOf.Bybit()]), retCode: 10009 }, 'geo_blocked'],
      [{ ...bybitAnswer([rowOf.Bybit()]), retCode: 10016 }, 'unavailable'],
      [{ ...bybitAnswer([rowOf.Bybit()]), time: 'soon' }, 'unavailable'],
      [bybitAnswer([rowOf.Bybit()], { category: 'linear' }), 'unavailable'],
    ],
  },
};

/** Answers that are refused as a whole, each with the fault that is found in it. */
function testRefusedAnswers(parse: (answer: unknown) => unknown, answers: Refused): void {
  it.each(answers)('are refused as a whole when the answer is %j: %s', (answer, fault) => {
    const find = () => {
      try {
        return parse(answer);
      } catch (error) {
        return error;
      }
    };
    const found = find();
    expect(found).toBeInstanceOf(SourceError);
    expect(found).toMatchObject({ fault });
  });
}

describe.each(Object.entries(venues))('the tickers of %s', (_venue, tickers) => {
  const { feed, answer, row, others, names, gives, write = (_field: string, value: unknown) => value } = tickers;
  const read = (...rows: readonly unknown[]) => readTickers(feed, answer(...rows));
  const readCoins = (...rows: readonly unknown[]) => read(...rows).map(({ coin }) => coin);
  const ether = row(others.ETH);
  /** What is read of bitcoin when a field has another value, beside ether. */
  const readWith = (name: keyof Tickers['names'], value: unknown) => {
    const field = names[name] ?? '';
    const { [field]: _before, ...bare } = row();
    const changed = value === undefined ? bare : { ...bare, [field]: write(field, value) };
    return read(changed, ether).find(({ coin }) => coin === 'BTC');
  };

  it('are read with the volume in the base, and with the open of 24 hours ago, book and time where the venue gives them', () => {
    expect(read(row())).toEqual([
      {
        coin: 'BTC',
        price: parsePrice('65000.1'),
        book: gives.book ? { bid: parsePrice('65000.1'), ask: parsePrice('65000.2') } : null,
        open24h: gives.open24h && parsePrice(gives.open24h),
        volume24h: '5200.25',
        venueTime_ms: gives.time ? TIME_MS : null,
      },
    ]);
  });

  it.each(Object.entries(others))('are read by the venue’s own name of %s', (coin, fields) => {
    expect(readCoins(row(fields))).toEqual([coin]);
  });

  it.each(tickers.skipped)('skip a row with %o, and only that row', (fields) => {
    expect(readCoins(row(fields), ether)).toEqual(['ETH']);
  });

  it.each([null, 'text', 7, []])('skip a row that is %j', (entry) => {
    expect(readCoins(entry, ether)).toEqual(['ETH']);
  });

  it('count a coin once, with its last row, however often it is listed', () => {
    const last = row({ [names.price]: write(names.price, '1') });
    expect(read(row(), last)).toMatchObject([{ price: parsePrice('1') }]);
  });

  it.each([...unreadableNumbers, ...absurdPrices, ...impossiblePrices])('skip a row whose price is %s', (_, price) => {
    expect(readWith('price', price)).toBeUndefined();
  });

  it.each([
    ['6.50001e4', '65000.1'],
    ['6.50001E+4', '65000.1'],
    ['65000.10000000000000', '65000.1'],
    ['1e-8', '0.00000001'],
  ])('read a price of %s', (price, plain) => {
    expect(readWith('price', price)?.price).toBe(parsePrice(plain));
  });

  it.each([...unreadableNumbers, ['less than zero', '-1'] as const])(
    'keep the price of a row whose volume is %s',
    (_, volume) => {
      expect(readWith('volume', volume)).toMatchObject({ price: expect.any(BigInt), volume24h: null });
    },
  );

  it.each([
    ['0.00000000', '0'],
    ['1.5e3', '1500'],
    ['33278.39129000', '33278.39129'],
  ])('read a volume of %s as %s', (volume, plain) => {
    expect(readWith('volume', volume)?.volume24h).toBe(plain);
  });

  it.each(tickers.opens ?? [])('compute from %s an open of %s', (value, open) => {
    expect(readWith('open', value)?.open24h).toBe(parsePrice(open));
  });

  it.each(names.open === undefined ? [] : [...unreadableNumbers, ...absurdPrices, ...tickers.noOpens])(
    'keep the price of a row without an open when the field for it is %s',
    (_, open) => {
      expect(readWith('open', open)).toMatchObject({ price: expect.any(BigInt), open24h: null });
    },
  );

  testRefusedAnswers((given) => readTickers(feed, given), tickers.refused);
});

describe('the tickers', () => {
  it('of Coinbase have a product that trades, whichever fields say so', () => {
    const { status: _status, auction_mode: _mode, ...bare } = rowOf.Coinbase({ view_only: false });
    expect(readTickers(coinbasePrices, venues.Coinbase.answer(bare))).toHaveLength(1);
  });

  it.each([null, [], ['1'], '598'])('of Kraken keep the price of a pair whose volumes are %j', (v) => {
    const result = pairsOf(rowOf.Kraken({ v }));
    expect(readTickers(krakenPrices, { error: [], result })).toMatchObject([{ volume24h: null }]);
  });

  it('of Kraken are accepted when there is only a warning', () => {
    const warned = { error: ['WGeneral:Degraded service'], result: pairsOf(rowOf.Kraken()) };
    expect(readTickers(krakenPrices, warned)).toMatchObject([{ coin: 'BTC' }]);
  });
});

interface Candles {
  readonly parse: (answer: unknown) => MarketCandle[];
  readonly answer: (rows: unknown) => unknown;
  readonly row: readonly unknown[];
  /** Values of fields, by their places, with which a row is refused. */
  readonly wrong: readonly (readonly [place: number, value: unknown])[];
  readonly refused: Refused;
}

const START_MS = 1795237200000;
const numbers = { open: '65000', high: '65100', low: '64900', close: '65010', volume: '29.11357276' };
const candle: MarketCandle = { start_ms: START_MS, ...numbers };
const bybitRefusal = (retCode: unknown, retMsg: string) => ({ ...bybitAnswer([]), retCode, retMsg, result: {} });
const ofBybit = [String(START_MS), '65000', '65100', '64900', '65010', '29.11357276', '1892889.301529914'];

const candles: Readonly<Record<string, Candles>> = {
  Binance: {
    parse: parseBinanceKlines,
    answer: (rows) => rows,
    row: [START_MS, ...ofBybit.slice(1, 6), START_MS + 3_599_999, '8.1', 22, '5', '3', '0'],
    wrong: [
      [0, String(START_MS)],
      [1, 65000],
    ],
    refused: [[{ code: -1121, msg: 'Invalid symbol.' }, 'question_refused']],
  },
  Bybit: {
    parse: parseBybitKlines,
    answer: (rows) => bybitAnswer(rows),
    row: ofBybit,
    wrong: [
      [0, START_MS],
      [0, 'soon'],
      [4, 65010],
      [1, null],
      [1, '9'.repeat(200)],
    ],
    refused: [
      [bybitRefusal(10001, 'Not supported symbols'), 'question_refused'],
      [bybitRefusal(10006, 'Too many visits!'), 'rate_limited'],
      [bybitRefusal(10018, 'Exceeded the IP Rate Limit.'), 'rate_limited'],
      [bybitRefusal(10009, 'IP has been banned.'), 'geo_blocked'],
      [bybitRefusal(10016, 'Server error.'), 'unavailable'],
      [bybitRefusal('0', 'OK'), 'unavailable'],
      [bybitAnswer([ofBybit], { category: 'linear' }), 'unavailable'],
      [bybitAnswer([ofBybit], { category: 'inverse' }), 'unavailable'],
      [bybitAnswer({ 0: ofBybit }), 'unavailable'],
      [{ retCode: 0 }, 'unavailable'],
      [[ofBybit], 'unavailable'],
      [null, 'unavailable'],
    ],
  },
  // Its order is open, close, high, low, and its start is in seconds.
  KuCoin: {
    parse: parseKucoinCandles,
    answer: (data) => ({ code: '200000', data }),
    row: [String(START_MS / 1_000), '65000', '65010', '65100', '64900', '29.11357276', '1892889.301529914'],
    wrong: [
      [0, START_MS / 1_000],
      [0, '2026-11-21'],
      [2, 65010],
      [4, null],
      [1, '9'.repeat(200)],
    ],
    refused: kucoinRefused,
  },
};

describe.each(Object.entries(candles))('the candles of %s', (_venue, { parse, answer, row, wrong, refused }) => {
  const shorter = answer([row, row.slice(0, 5)]);

  it('are read with each number in its field, and may be none', () => {
    expect(parse(answer([row]))).toEqual([candle]);
    expect(parse(answer([]))).toEqual([]);
  });

  it.each(wrong)('are refused as a whole when the field %i of a row is %j', (place, value) => {
    expect(() => parse(answer([row, row.with(place, value)]))).toThrow(SourceError);
  });

  testRefusedAnswers(parse, [...refused, [shorter, 'unavailable']]);
});
