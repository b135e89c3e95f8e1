// @runtime outside-by-hand
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { firmPrice } from '../../src/markets/firm-price.ts';
import { readSnapshot } from '../../src/markets/read-hub.ts';
import { TickerList } from '../../src/markets/schemas.ts';
import { type Coin, assets, coinSymbols } from '../../src/money/assets.ts';
import { parsePrice } from '../../src/money/amounts.ts';
import { type ProblemBody, type Trader, json, openTrader, send } from '../support/exchange.ts';
import type { VenueChange } from '../support/node/venues/venue-remote.ts';
import { prices } from '../support/node/venues/venue-state.ts';
import { env } from '../support/runtime/test-env.ts';
import { waitFor } from '../support/wait-for.ts';
import { forgetPrices, useVenues, venues } from '../support/markets/venues.ts';

const sources = ['binance', 'okx', 'coinbase', 'kucoin', 'kraken', 'gate'] as const;

type Source = (typeof sources)[number];

/** The sources that give a time with their prices. */
const dated: readonly Source[] = ['binance', 'okx', 'kucoin'];

function eachCoin(change: (price: string) => { readonly price: string; readonly age_ms?: number }): VenueChange {
  return { coins: Object.fromEntries(coinSymbols.map((coin) => [coin, change(prices[coin])])) };
}

/** What a fault makes of a source: it has no usable answer, its prices are a minute old, or they are wrong. */
type Effect = 'silent' | 'stale' | 'lying';

const faults: Readonly<Record<string, readonly [Effect, VenueChange]>> = {
  'a price of zero': ['silent', eachCoin(() => ({ price: '0' }))],
  'a negative price': ['silent', eachCoin((price) => ({ price: `-${price}` }))],
  'a price of NaN': ['silent', eachCoin(() => ({ price: 'NaN' }))],
  'a price of 61 seconds ago': ['stale', eachCoin((price) => ({ price, age_ms: 61_000 }))],
  'a price 1000 times off': ['lying', eachCoin((price) => ({ price: String(Number(price) * 1000) }))],
  'half a JSON text': ['silent', { mode: 'truncated' }],
  'a web page': ['silent', { mode: 'html' }],
  'a body of 5 MB': ['silent', { mode: 'huge' }],
  'no answer for 10 s': ['silent', { mode: 'hang' }],
  'a broken connection': ['silent', { mode: 'reset' }],
  'status 429': ['silent', { mode: 'error', status: 429, retryAfter: '60' }],
  'status 451': ['silent', { mode: 'error', status: 451 }],
  'status 503': ['silent', { mode: 'error', status: 503 }],
};

/** One fault for each effect. */
const typical = new Set(['a price of 61 seconds ago', 'a price 1000 times off', 'a broken connection']);

const allPairs = sources.flatMap((one, index) => sources.slice(index + 1).map((other) => [one, other] as const));

/**
 * The pairs of sources that have a fault at once. Faults with the same effect differ only in how one source fails,
 * which is tested at every source; so all pairs have the typical fault of each effect, and share the others.
 * `npm run test:long` has every fault at every pair.
 */
function pairsWith(fault: string): readonly (readonly [Source, Source])[] {
  if (env.TEST_LENGTH === 'long' || typical.has(fault)) return allPairs;
  const share = Object.keys(faults).indexOf(fault) % 5;
  return allPairs.filter((_pair, index) => index % 5 === share);
}

let trader: Trader;

beforeAll(async () => {
  trader = await openTrader({ USDT: '1000000' });
});

useVenues('running');

/** How long a round waits for the slower sources, an order for its price, and at most for the round after the last. */
const [GRACE_MS, WAIT_MS, PAUSE_MS] = [250, 2_000, 1_000];

/**
 * A sound venue may take longer than a round waits on a busy machine, and would seem to be silent: so a round waits
 * longer. There are hundreds of orders here, so they wait a shorter time, for rounds that follow each other sooner.
 */
function changeWaits(): void {
  const start = globalThis.setTimeout;
  const change = (wait_ms = 0) => {
    if (wait_ms === GRACE_MS) return 20 * GRACE_MS;
    if (wait_ms === WAIT_MS) return WAIT_MS / 4;
    return wait_ms > GRACE_MS && wait_ms <= PAUSE_MS ? wait_ms / 50 : wait_ms;
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void, wait_ms?: number) =>
    start(run, change(wait_ms)),
  );
}

/** Whether enough sources of a coin are sound for a firm price, by the rule that the exchange documents. */
function judge(coin: Coin, faulty: readonly Source[], effect: Effect) {
  const { sound, answering } = countSources(coin, faulty, effect);
  return sound >= 2 && sound * 2 > answering;
}

/** The same for a fill: four votes, and three only where no more sources answer. */
function judgeFill(coin: Coin, faulty: readonly Source[], effect: Effect) {
  const { sound, answering } = countSources(coin, faulty, effect);
  return sound >= Math.min(4, Math.max(3, answering));
}

function countSources(coin: Coin, faulty: readonly Source[], effect: Effect) {
  const listing = sources.filter((source) => assets[coin].venueSymbols[source] !== null);
  const isSound = (source: Source) => !faulty.includes(source) || (effect === 'stale' && !dated.includes(source));
  const sound = listing.filter(isSound).length;
  return { sound, answering: effect === 'silent' ? sound : listing.length };
}

async function buy(coin: Coin): Promise<string> {
  const response = await trader.order({ coin, side: 'BUY', mode: 'USDT_AMOUNT', value: '1' });
  return response.status === 201 ? 'filled' : (await json<ProblemBody>(response)).code;
}

/**
 * Checks what readers and traders get while these sources have this fault, with a hub that has no memory. A sound source
 * that is late on a busy machine is silent too: then all of it is tried again.
 */
function expectTruth(faulty: readonly Source[], effect: Effect, change: VenueChange): Promise<void> {
  return waitFor(() => expectTruthAtOnce(faulty, effect, change));
}

async function expectTruthAtOnce(faulty: readonly Source[], effect: Effect, change: VenueChange): Promise<void> {
  await venues.reset();
  await venues.setPrices(prices);
  for (const source of faulty) await venues.set(source, change);
  await forgetPrices();

  // First bitcoin, of which Kraken votes, which is asked no more for the next second and a half.
  for (const coin of ['BTC', 'MATIC'] as const) {
    expect([coin, await buy(coin)]).toEqual([coin, judgeFill(coin, faulty, effect) ? 'filled' : 'price_unavailable']);
  }

  const response = await send('/api/v1/markets/tickers');
  expect(response.status).toBe(200);
  const { tickers, degraded } = TickerList.parse(await response.json());
  expect(degraded).toBe(false);
  expect(tickers.map(({ symbol, price }) => [symbol, price])).toEqual(Object.entries(prices));

  const snapshot = await readSnapshot(env, 10_000);
  for (const coin of coinSymbols) {
    const firm = snapshot && firmPrice(snapshot, coin, Date.now())?.price;
    expect([coin, firm]).toEqual([coin, judge(coin, faulty, effect) ? parsePrice(prices[coin]) : undefined]);
  }
}

describe.each(Object.entries(faults))('with %s', (fault, [effect, change]) => {
  beforeEach(() => {
    if (change.mode !== 'hang') changeWaits();
  });

  it('at any one source, tickers are right, and fills are refused only for coins with too few sources left', async () => {
    for (const source of sources) await expectTruth([source], effect, change);
  });

  it('at any two sources, tickers are right, and fills are refused only for coins with too few sources left', async () => {
    for (const pair of pairsWith(fault)) await expectTruth(pair, effect, change);
  });
});

it('two sources with wrong prices stop the fills of a coin with four sources, and of no other coin', () => {
  expect(coinSymbols.filter((coin) => !judge(coin, ['binance', 'okx'], 'lying'))).toEqual(['MATIC']);
});

describe('after all venues were down', () => {
  /** Requests that hang take their whole deadline of real time, so they are for the long form. */
  const modes = [
    ['error', 11],
    ['html', 13],
    ['reset', 14],
    ...(env.TEST_LENGTH === 'long' ? [['hang', 12] as const] : []),
  ] as const;

  it.each(modes)(
    'with mode %s, until every circuit breaker was open: fills resume within 5 s, and cached answers recover within 10 s',
    async (mode, limit) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
      await venues.fail(mode);
      for (let round = 0; round < 5; round++) {
        expect(await buy('BTC')).toBe('price_unavailable');
        pass(2_100);
      }
      const broken = TickerList.parse(await (await send('/api/v1/markets/tickers')).json());
      expect(broken.degraded).toBe(true);
      expect((await send(`/api/v1/markets/BTC/candles?limit=${limit}`)).status).toBe(502);

      await venues.reset();
      await venues.setPrices(prices);
      pass(5_000);
      expect(await buy('BTC')).toBe('filled');
      pass(5_000);
      const { tickers, degraded } = TickerList.parse(await (await send('/api/v1/markets/tickers')).json());
      expect(degraded).toBe(false);
      expect(tickers.map(({ symbol, price }) => [symbol, price])).toEqual(Object.entries(prices));
      expect((await send(`/api/v1/markets/BTC/candles?limit=${limit}`)).status).toBe(200);
    },
  );
});

it('a source that hangs is suspended after three rounds, and its readers no longer wait for it', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  await venues.set('gate', { mode: 'hang' });
  for (let round = 0; round < 6; round++) {
    await readSnapshot(env, 0);
    // The hanging request ends after 2 s of real time; until then its source is not asked again.
    await new Promise((resolve) => setTimeout(resolve, round < 3 ? 2_050 : 0));
    vi.setSystemTime(Date.now() + 1);
  }
  expect(await venues.count()).toMatchObject({ gate: { tickers: 3 }, okx: { tickers: 6 } });
});
