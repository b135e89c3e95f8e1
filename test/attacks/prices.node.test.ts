import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { fetchDocumented } from '../support/node/exchange/fetch-documented.ts';
import { distinctCandleQuestion, strangerAddress } from '../support/node/venues/candle-questions.ts';
import { startVenueServer } from '../support/node/venues/start-venue-server.ts';
import { VenueRemote, venueUrlVariables } from '../support/node/venues/venue-remote.ts';
import type { VenueRequests } from '../support/node/venues/venue-state.ts';
import { waitFor } from '../support/wait-for.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

/** How many questions for a thousand candles of the past are asked of venues: at once, and in each second after that. */
const CANDLE_BURST = 2;
const CANDLES_PER_SECOND = 0.375;

const QUESTIONS = 60;
const AT_ONCE = 10;
const CANDLE_DELAY_MS = 100;

/** How long after the first key the second one trades. */
const KEYS_APART_MS = 1_500;

const THURSDAY_MS = Date.UTC(2026, 9, 1);

const played = await startVenueServer();
afterAll(() => played.stop());
const venues = new VenueRemote(played.url);
const { operator } = await openExchange({
  rateLimits: { ANONYMOUS_READS: 100_000, ANONYMOUS_NETWORKS: 100_000 },
  variables: {
    ...venueUrlVariables(played.url),
    PRICE_SOURCES: 'binance,okx,kucoin,bybit,coinbase,kraken,gate',
    CANDLE_SOURCES: 'kucoin',
    // So the spread takes nothing of an attacker's gain.
    SPREAD_BPS: '0',
  },
});

const read = (path: string) => fetchDocumented(operator.origin, `/api/v1${path}`);
const LOOK = { value: '1' };

/** Buys for 10,000 USDT with one key and sells the same with another. Returns both prices. */
async function buyAndSell(buyer: Client, seller: Client): Promise<string[]> {
  const bought = await buyer.trade({ value: '10000' });
  const sold = await seller.trade({ side: 'SELL', mode: 'COIN_QTY', value: bought.coinAmount });
  return [bought.executedPrice, sold.executedPrice];
}

/** Places small orders until one fills at this price. */
const lookUntil = (client: Client, price: string) =>
  waitFor(async () => expect((await client.trade(LOOK)).executedPrice).toBe(price));

/** Sends orders until so many rounds of prices have started since then. All but the last have ended. */
const waitForRounds = (client: Client, rounds: number, since: VenueRequests) =>
  waitFor(async () => {
    await client.order(LOOK);
    expect((await venues.count()).binance.tickers).toBeGreaterThanOrEqual(since.binance.tickers + rounds);
  });

describe('candles', () => {
  const askCandles = async (query: string) => {
    const response = await read(`/markets/BTC/candles?${query}`);
    const { candles = [] } = (await response.json()) as { candles?: { ts: string }[] };
    return [response.status, candles.map(({ ts }) => ts.slice(0, 10))] as const;
  };

  it('requested with start times a millisecond apart are one request to the venue', async () => {
    const before = (await venues.count()).kucoin.klines;
    for (let index = 1; index <= 20; index += 1) {
      const startTime = new Date(THURSDAY_MS + index).toISOString();
      expect((await askCandles(`interval=1d&limit=2&startTime=${startTime}`))[0]).toBe(200);
    }
    expect((await venues.count()).kucoin.klines).toBe(before + 1);
  });
});

describe('a price', () => {
  /** The venues' counts of requests when one of them renamed all its pairs. */
  let renamed: VenueRequests;

  beforeAll(() => venues.setPrices({ BTC: '60000' }));

  it.each([
    ['rises', '60600'],
    ['falls', '60000'],
  ])('is the same for two keys of a holder when it %s, whenever each of them has traded', async (_, moved) => {
    const one = await operator.openClient({ USDT: '20000', BTC: '0.2' });
    const other = await operator.createClient(one.accountId);
    const { executedPrice: before } = await one.trade(LOOK);
    expect(before).not.toBe(moved);
    await venues.setPrices({ BTC: moved });
    // The second key must not trade before the exchange has a newer price, lest it sees the first key's.
    await sleep(KEYS_APART_MS);
    await lookUntil(other, moved);
    const prices = moved > before ? await buyAndSell(one, other) : await buyAndSell(other, one);
    expect(prices).toEqual([moved, moved]);
  });

  it('takes no vote of a market that does not trade freely, of a book wider than the band, or of a venue that renamed its pairs', async () => {
    await venues.set('coinbase', { coins: { BTC: { price: '60200', fields: { view_only: true } } } });
    await venues.set('kraken', { coins: { BTC: { price: '60200', bid: '50000', ask: '70400' } } });
    await venues.set('gate', { coins: { BTC: null, ETH: null, USDC: null, AVAX: null, MATIC: null } });
    await venues.set('gate', { coins: { BNB: null, LTC: null, DOGE: null } });
    const client = await operator.openClient({ USDT: '100000' });
    renamed = await venues.count();
    await waitForRounds(client, 2, renamed);
    // Four venues vote.
    await waitFor(async () => expect(await buyAndSell(client, client)).toEqual(['60000', '60000']));
  });

  it('includes half of the venues’ difference, so moving some venues’ prices gains nothing against the middle', async () => {
    const client = await operator.openClient({ USDT: '20000' });
    await venues.set('okx', { coins: { BTC: { price: '60300' } } });
    await venues.set('kucoin', { coins: { BTC: { price: '60150' } } });
    await venues.set('bybit', { coins: { BTC: { price: '60150' } } });
    // The middle is 60150; half of 300 on either side.
    await lookUntil(client, '60300');
    expect(await buyAndSell(client, client)).toEqual(['60300', '60000']);
  });

  it('is not asked of a venue any more that has answered three times with none of the coins', async () => {
    const client = await operator.openClient({ USDT: '1000' });
    await waitForRounds(client, 4, renamed);
    // One of the three may have been asked just before the count.
    const asked = (await venues.count()).gate.tickers - renamed.gate.tickers;
    expect([2, 3]).toContain(asked);
    await waitForRounds(client, 2, await venues.count());
    expect((await venues.count()).gate.tickers - renamed.gate.tickers).toBe(asked);
  });
});

it('a flood of different candle requests exceeds no venue’s budget, suspends no price source, and stops no order', async () => {
  const client = await operator.openClient({ USDT: '10000' });
  const ask = async (index: number) => {
    const headers = { 'CF-Connecting-IP': strangerAddress(index) };
    const response = await fetchDocumented(operator.origin, distinctCandleQuestion(index), { headers });
    if (response.status === 503) expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    return response.status;
  };
  // So that requests are open while orders come.
  await venues.set('kucoin', { delay_ms: CANDLE_DELAY_MS });
  const [before, begun_ms] = [await venues.count(), Date.now()];
  const answers: number[] = [];
  for (let index = 0; index < QUESTIONS; index += AT_ONCE) {
    const asked = Array.from({ length: AT_ONCE }, (_, offset) => ask(index + offset));
    await client.trade(LOOK);
    answers.push(...(await Promise.all(asked)));
  }
  const after = await venues.count();
  await venues.set('kucoin', { delay_ms: 0 });
  const questions = after.kucoin.klines - before.kucoin.klines;
  expect(questions).toBeGreaterThanOrEqual(CANDLE_BURST);
  expect(questions).toBeLessThanOrEqual(CANDLE_BURST + ((Date.now() - begun_ms) / 1_000) * CANDLES_PER_SECOND + 1);
  // The other requests were refused before a venue was asked. On a busy machine some of the requests to the venue may
  // fail.
  expect(answers.filter((status) => status === 503).length).toBeGreaterThanOrEqual(QUESTIONS - questions);
  expect(answers.filter((status) => ![200, 502, 503].includes(status))).toEqual([]);
  // All three venues are still asked for prices in every round: none is suspended.
  const rounds = (['binance', 'okx', 'kucoin'] as const).map((name) => after[name].tickers);
  expect(Math.max(...rounds) - Math.min(...rounds)).toBeLessThanOrEqual(1);
  expect(await (await read('/status')).json()).toMatchObject({ status: 'OK' });
});
