// @runtime outside-by-hand
import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { CandleHub } from '../../../src/markets/candles/candle-hub.ts';
import type { CandleQuestion } from '../../../src/markets/candles/candle-source.ts';
import { readCandles, reachCandleHub } from '../../../src/markets/candles/read-candles.ts';
import { readSnapshot } from '../../../src/markets/read-hub.ts';
import { refuse } from '../../../src/http/answer.ts';
import { openTrader } from '../../support/exchange.ts';
import { env } from '../../support/runtime/test-env.ts';
import { forgetPrices, useVenues, venues } from '../../support/markets/venues.ts';
import { waitFor } from '../../support/wait-for.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const THURSDAY_MS = Date.UTC(2026, 9, 1);

useVenues('running');

const ask = (question: Partial<CandleQuestion>) =>
  readCandles(env, { coin: 'BTC', interval: '1h', limit: 5, ...question });

/** Different requests: each ends in another hour of the past. */
const askHours = async (count: number, change: Partial<CandleQuestion> = {}) => {
  const answers = [];
  for (let index = 1; index <= count; index++) {
    answers.push(await ask({ endTime_ms: THURSDAY_MS - index * HOUR_MS, ...change }));
  }
  return answers.map((answer) => (answer.ok ? 'answered' : answer.code));
};

const countKlines = async () => {
  const { binance, bybit, kucoin } = await venues.count();
  return { binance: binance.klines, bybit: bybit.klines, kucoin: kucoin.klines };
};

describe('a request for candles that a venue cannot answer', () => {
  it('is made of days for KuCoin’s weeks, which begin on Thursday, and its other intervals stay as they are', async () => {
    for (const venue of ['binance', 'bybit'] as const) await venues.set(venue, { mode: 'error', status: 451 });
    await venues.set('kucoin', { coins: { BTC: { price: '65000', volume: '12.5' } } });
    const weeks = await ask({ interval: '1w', limit: 3, endTime_ms: THURSDAY_MS });
    expect(weeks.ok && weeks.value.candles).toEqual(
      [-17, -10, -3].map((days) => ({
        start_ms: THURSDAY_MS + days * DAY_MS,
        open: '65000',
        high: '65650',
        low: '64350',
        close: '65325',
        volume: '87.5',
      })),
    );
    expect(await askHours(4)).toEqual(Array<string>(4).fill('answered'));
    // The running week ends with today.
    const running = await ask({ interval: '1w', limit: 1 });
    const days = Math.floor((Date.now() - (running.ok ? (running.value.candles[0]?.start_ms ?? 0) : 0)) / DAY_MS) + 1;
    expect(days).toBeLessThanOrEqual(7);
    expect(running.ok && running.value.candles[0]?.volume).toBe(String(days * 12.5));
  });

  it('goes to the next venue when the weeks begin on another day, and other requests stay', async () => {
    const week = [THURSDAY_MS, '1', '2', '1', '2', '3', THURSDAY_MS + 7 * DAY_MS - 1, '3', 1, '3', '3', '0'];
    await venues.set('binance', { klines: [week] });
    for (let index = 1; index <= 4; index++) {
      expect((await ask({ interval: '1w', endTime_ms: THURSDAY_MS - index * 7 * DAY_MS })).ok).toBe(true);
    }
    expect(await countKlines()).toMatchObject({ binance: 4, bybit: 4 });
    await venues.set('binance', { klines: undefined, coins: {} });
    await venues.reset();
    expect(await askHours(3)).toEqual(Array<string>(3).fill('answered'));
    expect(await countKlines()).toEqual({ binance: 3, bybit: 0, kucoin: 0 });
  });

  it('suspends no venue when the venue does not know the coin or answers 400', async () => {
    await venues.set('binance', { coins: { DOGE: null } });
    await venues.set('bybit', { coins: { DOGE: null } });
    await venues.set('kucoin', { coins: { DOGE: null } });
    expect(await askHours(4, { coin: 'DOGE' })).toEqual(Array<string>(4).fill('upstream_unavailable'));
    expect(await askHours(3)).toEqual(Array<string>(3).fill('answered'));
    expect(await countKlines()).toEqual({ binance: 7, bybit: 4, kucoin: 4 });
  });
});

describe('the candle hub', () => {
  it('remembers over an eviction which venues asked to be left alone', async () => {
    await venues.set('binance', { mode: 'limited', retryAfter: '60' });
    expect(await askHours(1)).toEqual(['answered']);
    await evictDurableObject(reachCandleHub(env));
    expect(await askHours(2)).toEqual(['answered', 'answered']);
    expect((await countKlines()).binance).toBe(1);
  });

  it('suspends no price source, whatever its venues do', async () => {
    for (const venue of ['binance', 'bybit', 'kucoin'] as const) await venues.set(venue, { mode: 'limited' });
    expect(await askHours(2)).toEqual(['upstream_unavailable', 'upstream_unavailable']);
    await venues.reset();
    await readSnapshot(env, 0);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 1 }, kucoin: { tickers: 1 } });
  });

  it('does not ask for another period within a second of a refusal, and goes on giving the newest candles', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const tooMany = refuse('service_unavailable', 'Too much.', { retryAfterSeconds: 1 });
    const candles = vi.spyOn(CandleHub.prototype, 'candles').mockReturnValueOnce(Promise.resolve(tooMany));
    expect(await askHours(20)).toEqual(Array<string>(20).fill('service_unavailable'));
    expect(candles).toHaveBeenCalledOnce();
    expect((await ask({})).ok).toBe(true);
    vi.setSystemTime(Date.now() + 1_000);
    expect(await askHours(1)).toEqual(['answered']);
  });

  it('delays no order', async () => {
    const trader = await openTrader({ USDT: '100' });
    const candles = vi.spyOn(CandleHub.prototype, 'candles').mockReturnValue(new Promise<never>(() => {}));
    const open = Array.from({ length: 200 }, (_, index) => ask({ endTime_ms: THURSDAY_MS - index * HOUR_MS }));
    await waitFor(() => expect(candles).toHaveBeenCalledTimes(200));
    const order = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' };
    for (let index = 0; index < 5; index++) expect((await trader.order(order)).status).toBe(201);
    expect(candles).toHaveBeenCalledTimes(200);
    expect((await Promise.all(open)).every(({ ok }) => !ok)).toBe(true);
  });
});

it('every venue is told the name of the exchange that asks', async () => {
  const fetches = vi.spyOn(globalThis, 'fetch');
  await forgetPrices();
  await readSnapshot(env, 0);
  await askHours(1);
  const venueCalls = fetches.mock.calls.filter(([, init]) => init?.redirect === 'manual');
  expect(venueCalls).toHaveLength(7);
  for (const [, init] of venueCalls) {
    expect(new Headers(init?.headers).get('User-Agent')).toMatch(/^Bureau\//);
  }
});
