// @runtime outside-by-hand
import { beforeEach, describe, expect, it } from 'vitest';
import { config } from '../../../src/env.ts';
import type { CandleQuestion } from '../../../src/markets/candles/candle-source.ts';
import { intervals, shiftInterval, startOfInterval } from '../../../src/markets/candles/interval.ts';
import type { PriceSource } from '../../../src/markets/sources/price-source.ts';
import { SourceError } from '../../../src/markets/sources/source-error.ts';
import { type Coin, assets, coinSymbols } from '../../../src/money/assets.ts';
import { parsePrice } from '../../../src/money/amounts.ts';
import { chooseCandleSources, choosePriceSources } from '../../../src/providers.ts';
import type { Venue, VenueMode, VenueName } from '../../support/node/venues/venue-state.ts';
import { venues } from '../../support/markets/venues.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => venues.reset());

const signal = () => AbortSignal.timeout(5_000);

function priceSource(name: VenueName): PriceSource {
  const source = choosePriceSources(config).find((one) => one.name === name);
  if (!source) throw new Error(`${name} is not configured`);
  return source;
}

const ask = (source: PriceSource, now_ms = Date.now()) => source.fetchTickers(signal(), now_ms);
const coinsOf = (tickers: readonly { coin: Coin }[]) => new Set(tickers.map(({ coin }) => coin));
const coinsAt = (name: VenueName) => new Set(coinSymbols.filter((coin) => assets[coin].venueSymbols[name] !== null));

async function failureOf(answer: Promise<unknown>): Promise<SourceError> {
  const error = await answer.then(
    () => new Error('no failure'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof SourceError)) throw error;
  return error;
}

const priceNames: readonly VenueName[] = ['binance', 'okx', 'coinbase', 'kucoin', 'kraken', 'gate'];
const candleNames: readonly VenueName[] = ['binance', 'bybit', 'kucoin'];

it('the tested venues are those of production', () => {
  expect(choosePriceSources(config).map(({ name }) => name)).toEqual(priceNames);
  expect(chooseCandleSources(config).map(({ name }) => name)).toEqual(candleNames);
});

describe.each(priceNames)('prices of %s', (name) => {
  it('are given for every coin that it lists, with one request', async () => {
    const tickers = await ask(priceSource(name));
    expect(coinsOf(tickers)).toEqual(coinsAt(name));
    expect((await venues.count())[name].tickers).toBe(1);
  });

  it('have the open of 24 hours ago, the base volume, and the venue’s time if it gives one', async () => {
    await venues.set(name, { coins: { BTC: { price: '65000', open: '52000', volume: '1234.5', age_ms: 20_000 } } });
    const now_ms = Date.now();
    const bitcoin = (await ask(priceSource(name))).find(({ coin }) => coin === 'BTC');
    const atPrice = parsePrice('65000');
    const hasTime = ['binance', 'okx', 'kucoin'].includes(name);
    expect(bitcoin).toEqual({
      coin: 'BTC',
      price: atPrice,
      book: name === 'coinbase' ? null : { bid: atPrice, ask: atPrice },
      open24h: name === 'kraken' ? null : parsePrice('52000'),
      volume24h: '1234.5',
      venueTime_ms: hasTime ? expect.any(Number) : null,
    });
    if (!hasTime) return;
    expect(bitcoin?.venueTime_ms).toBeGreaterThanOrEqual(now_ms - 20_000);
    expect(bitcoin?.venueTime_ms).toBeLessThan(now_ms - 10_000);
  });

  it.each<[string, Partial<Venue>, string]>([
    ['fails by itself', { mode: 'error' }, 'unavailable'],
    ['is asked too often', { mode: 'limited' }, 'rate_limited'],
    ['is down', { mode: 'error', status: 503 }, 'unavailable'],
    ['refuses the country', { mode: 'error', status: 451 }, 'geo_blocked'],
    ['refuses us in its own words', { mode: 'error', status: 403 }, 'geo_blocked'],
    ['shows a web page', { mode: 'html' }, 'unavailable'],
    ['shows the page of a firewall', { mode: 'html', status: 403 }, 'address_blocked'],
    ['shows a page for too many requests', { mode: 'html', status: 429 }, 'rate_limited'],
    ['breaks off in the middle', { mode: 'truncated' }, 'unavailable'],
    ['sends 5 MB', { mode: 'huge' }, 'unavailable'],
    ['drops the connection', { mode: 'reset' }, 'unavailable'],
  ])('are none when it %s, after one request', async (_case, change, fault) => {
    await venues.set(name, change);
    expect((await failureOf(ask(priceSource(name)))).fault).toBe(fault);
    expect((await venues.count())[name].tickers).toBe(1);
  });

  it('tell how long the venue asks to be left alone', async () => {
    await venues.set(name, { mode: 'limited', status: 429, retryAfter: '7' });
    expect(await failureOf(ask(priceSource(name)))).toMatchObject({ fault: 'rate_limited', retryAfter_ms: 7_000 });
  });

  it('are given up when it hangs', async () => {
    await venues.set(name, { mode: 'hang' });
    const answer = priceSource(name).fetchTickers(AbortSignal.timeout(50), Date.now());
    expect((await failureOf(answer)).fault).toBe('unavailable');
  });
});

describe.each(['binance', 'kraken', 'coinbase'] as const)('a coin that %s no longer lists', (name) => {
  const others = () => new Set([...coinsAt(name)].filter((coin) => coin !== 'DOGE'));
  const countRequests = async () => (await venues.count())[name].tickers;

  it('does not affect the other coins, and needs one more request in an hour', async () => {
    const source = priceSource(name);
    const now_ms = Date.now();
    await venues.set(name, { coins: { DOGE: null } });
    expect(coinsOf(await ask(source, now_ms))).toEqual(others());
    expect(await countRequests()).toBe(2);
    expect(coinsOf(await ask(source, now_ms + 2_000))).toEqual(others());
    expect(coinsOf(await ask(source, now_ms + HOUR_MS - 1))).toEqual(others());
    expect(await countRequests()).toBe(4);
    expect(coinsOf(await ask(source, now_ms + HOUR_MS))).toEqual(others());
    expect(await countRequests()).toBe(6);
  });

  it('is requested again after an hour', async () => {
    const source = priceSource(name);
    const now_ms = Date.now();
    await venues.set(name, { coins: { DOGE: null } });
    await ask(source, now_ms);
    await venues.set(name, { coins: { DOGE: { price: '0.1' } } });
    expect(coinsOf(await ask(source, now_ms + HOUR_MS - 1))).toEqual(others());
    expect(coinsOf(await ask(source, now_ms + HOUR_MS))).toEqual(coinsAt(name));
    expect(await countRequests()).toBe(4);
  });

  it('may be followed by another within the hour', async () => {
    const source = priceSource(name);
    const now_ms = Date.now();
    await venues.set(name, { coins: { DOGE: null } });
    await ask(source, now_ms);
    await venues.set(name, { coins: { AVAX: null } });
    const left = new Set([...others()].filter((coin) => coin !== 'AVAX'));
    expect(coinsOf(await ask(source, now_ms + 2_000))).toEqual(left);
    expect(coinsOf(await ask(source, now_ms + 4_000))).toEqual(left);
    // Two requests to find out each time, and one since then.
    expect(await countRequests()).toBe(5);
  });

  it('does not stop the others from being requested when the whole market was missing', async () => {
    const source = priceSource(name);
    const all = Object.fromEntries(coinSymbols.map((coin) => [coin, null]));
    await venues.set(name, { coins: all });
    expect(await ask(source)).toEqual([]);
    await venues.reset();
    expect(coinsOf(await ask(source))).toEqual(coinsAt(name));
  });
});

describe.each(candleNames)('candles of %s', (name) => {
  const fetchCandles = (question: Partial<CandleQuestion>, now_ms = Date.now()) => {
    const source = chooseCandleSources(config).find((one) => one.name === name);
    if (!source) throw new Error(`${name} is not configured`);
    return source.fetchCandles({ coin: 'BTC', interval: '1h', limit: 5, ...question }, signal(), now_ms);
  };

  // The requests end in the past, so that a new hour during the tests does not matter.
  const hour_ms = startOfInterval('1h', Date.now());
  const hoursAgo = (candles: readonly { start_ms: number }[]) =>
    candles.map(({ start_ms }) => (hour_ms - start_ms) / HOUR_MS);

  it('are the newest, ascending, the running one last, each number in its field', async () => {
    await venues.set(name, { coins: { BTC: { price: '65000', volume: '12.5' } } });
    const candles = await fetchCandles({ endTime_ms: hour_ms });
    expect(hoursAgo(candles)).toEqual([4, 3, 2, 1, 0]);
    expect(candles[0]).toEqual({
      start_ms: hour_ms - 4 * HOUR_MS,
      open: '65000',
      high: '65650',
      low: '64350',
      close: '65325',
      volume: '12.5',
    });
    expect(hoursAgo(await fetchCandles({}))).toHaveLength(5);
  });

  it('are the oldest from a start on, including the start', async () => {
    const startTime_ms = hour_ms - 100 * HOUR_MS;
    expect(hoursAgo(await fetchCandles({ startTime_ms }))).toEqual([100, 99, 98, 97, 96]);
    expect(hoursAgo(await fetchCandles({ startTime_ms: startTime_ms + 1 }))).toEqual([99, 98, 97, 96, 95]);
  });

  it('are the newest up to an end, including the end', async () => {
    const endTime_ms = hour_ms - 100 * HOUR_MS;
    expect(hoursAgo(await fetchCandles({ endTime_ms }))).toEqual([104, 103, 102, 101, 100]);
    expect(hoursAgo(await fetchCandles({ endTime_ms: endTime_ms - 1 }))).toEqual([105, 104, 103, 102, 101]);
  });

  it('are those between a start and an end', async () => {
    const range = { startTime_ms: hour_ms - 3 * HOUR_MS, endTime_ms: hour_ms - 2 * HOUR_MS };
    expect(hoursAgo(await fetchCandles(range))).toEqual([3, 2]);
    expect(hoursAgo(await fetchCandles({ ...range, limit: 1 }))).toEqual([3]);
  });

  it.each(intervals)('of %s come 1000 at once, each at a start of its interval', async (interval) => {
    const newest_ms = startOfInterval(interval, Date.now());
    const months = interval === '1M';
    const candles = await fetchCandles({ interval, limit: months ? 300 : 1000, endTime_ms: newest_ms });
    expect(candles).toHaveLength(months ? 300 : 1000);
    expect(candles.at(-1)?.start_ms).toBe(newest_ms);
    expect(candles[0]?.start_ms).toBe(shiftInterval(interval, newest_ms, 1 - candles.length));
    const isFolded = name === 'kucoin' && interval === '1w';
    expect((await venues.count())[name].klines).toBe(isFolded ? 5 : 1);
  });

  it('of MATIC are the venue’s candles of POL', async () => {
    await venues.set(name, { coins: { MATIC: { price: '0.25' } } });
    expect((await fetchCandles({ coin: 'MATIC' })).at(-1)?.open).toBe('0.25');
  });

  it('are none from a start in the future', async () => {
    expect(await fetchCandles({ startTime_ms: hour_ms + 48 * HOUR_MS })).toEqual([]);
  });

  it('are refused for a coin that it no longer lists', async () => {
    await venues.set(name, { coins: { BTC: null } });
    expect((await failureOf(fetchCandles({}))).fault).toBe('question_refused');
  });

  it.each<[VenueMode, string]>([
    ['error', 'unavailable'],
    ['limited', 'rate_limited'],
    ['html', 'unavailable'],
    ['truncated', 'unavailable'],
    ['huge', 'unavailable'],
    ['reset', 'unavailable'],
  ])('are refused when the venue’s mode is %s', async (mode, fault) => {
    await venues.set(name, { mode });
    expect((await failureOf(fetchCandles({}))).fault).toBe(fault);
  });
});

it.each([
  ['bybit', { retCode: 0, retMsg: 'OK', result: { category: 'spot', symbol: 'BTCUSDT', list: [] }, time: 1 }],
  ['kucoin', { code: '200000', data: [] }],
] as const)('%s leaves a question to others where its history has nothing to say', async (name, klines) => {
  await venues.set(name, { klines });
  const source = chooseCandleSources(config).find((one) => one.name === name);
  const question = { coin: 'BTC', interval: '1d', limit: 5, startTime_ms: Date.parse('2012-01-01') } as const;
  expect((await failureOf(Promise.resolve(source?.fetchCandles(question, signal(), Date.now())))).fault).toBe(
    'question_refused',
  );
});
