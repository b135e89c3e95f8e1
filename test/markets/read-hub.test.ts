import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { BooksInMemory } from '../../src/markets/books-in-memory.ts';
import { PricePoller } from '../../src/markets/price-poller.ts';
import { firmPrice } from '../../src/markets/firm-price.ts';
import { reachCandleHub, readCandles } from '../../src/markets/candles/read-candles.ts';
import { type HubBindings, reachHub, readRipePrice, readSnapshot } from '../../src/markets/read-hub.ts';
import type { Bindings } from '../../src/platform/bindings.ts';
import { coinSymbols } from '../../src/money/assets.ts';
import { env } from '../support/runtime/test-env.ts';

/** Bindings whose hubs behave as the test says. */
function pretendHubs(answer: () => Promise<never>): HubBindings & Pick<Bindings, 'CANDLE_HUB'> {
  const namespace = { getByName: () => ({ snapshot: answer, candles: answer }) } as unknown as DurableObjectNamespace;
  return { PRICE_HUB: namespace, CANDLE_HUB: namespace, PRICE_HUB_LOCATION: 'weur' };
}

/** How long a reader waits for a hub at most. */
const LONGEST_WAIT_MS = 5_000;

const question = { coin: 'BTC', interval: '1h', limit: 5 } as const;

describe('the hub of the sandbox', () => {
  it('gives a firm price for every coin', async () => {
    const snapshot = await readSnapshot(env, 0);
    for (const coin of coinSymbols)
      expect(snapshot && firmPrice(snapshot, coin, Date.now())?.price).toBeGreaterThan(0n);
  });

  it('reads a market in memory for each order, without a round', async () => {
    const rounds = vi.spyOn(PricePoller.prototype, 'ask');
    const first = await readRipePrice(env, 'BTC', 0);
    const next = await readRipePrice(env, 'BTC', 0);
    expect(next?.round).toBeGreaterThanOrEqual(first?.round ?? Infinity);
    expect(rounds).not.toHaveBeenCalled();
  });

  it('has no price at once where a market in memory says nothing', async () => {
    vi.spyOn(BooksInMemory.prototype, 'votes').mockReturnValueOnce([]);
    expect(await readRipePrice(env, 'BTC', 0)).toBeUndefined();
  });

  it('gives candles', async () => {
    const series = await readCandles(env, question);
    expect(series.ok && series.value.candles).toHaveLength(5);
  });

  it('is another object at another location, where the one of before would stay', () => {
    const moved = { ...env, PRICE_HUB_LOCATION: 'apac' } as const;
    expect(reachHub(moved).id.equals(reachHub(env).id)).toBe(false);
    expect(reachCandleHub(moved).id.equals(reachCandleHub(env).id)).toBe(false);
  });

  it('is reached again after its object was reset', async () => {
    await abortAllDurableObjects();
    expect(await readSnapshot(env, 0)).toBeDefined();
  });
});

describe('a hub that cannot be reached', () => {
  const broken = pretendHubs(() => Promise.reject(new Error('internal error')));
  const hanging = pretendHubs(() => new Promise(() => {}));

  it('throws no exception in its readers', async () => {
    expect(await readSnapshot(broken, 0)).toBeUndefined();
    expect(await readCandles(broken, question)).toMatchObject({
      ok: false,
      code: 'upstream_unavailable',
    });
  });

  it('makes its readers wait for a bounded time only', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [snapshot, candles] = [readSnapshot(hanging, 0), readCandles(hanging, question)];
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT_MS);
    expect(await snapshot).toBeUndefined();
    expect(await candles).toMatchObject({ ok: false, code: 'upstream_unavailable' });
  });
});
