// @runtime outside
import { reachHub } from '../../src/markets/read-hub.ts';
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { firmPrice } from '../../src/markets/firm-price.ts';
import { TickerAnswer, TickerList } from '../../src/markets/schemas.ts';
import { coinSymbols } from '../../src/money/assets.ts';
import { send } from '../support/exchange.ts';
import { abort } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { firmNow, snapshotNow } from '../support/markets/snapshots.ts';
import { useVenues, venues } from '../support/markets/venues.ts';
import { waitFor } from '../support/wait-for.ts';

const READERS = 20;

useVenues('running');

/** Starts a round that the venues never answer, with readers that wait for it. */
async function waitForSilentVenues(): Promise<Promise<Response>[]> {
  await venues.fail('hang');
  const readers = Array.from({ length: READERS }, () => send('/api/v1/markets/tickers'));
  await waitFor(async () => {
    const { binance, kraken } = await venues.count();
    expect(Math.min(binance.tickers, kraken.tickers)).toBeGreaterThan(0);
  });
  return readers;
}

describe('a price hub that is reset while readers wait', () => {
  it('leads to an answer of 200, degraded, for every reader, cached for at most 5 s', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const readers = await waitForSilentVenues();
    await abort(reachHub(env));
    for (const response of await Promise.all(readers)) {
      expect(response.status).toBe(200);
      const list = TickerList.parse(await response.json());
      expect(list.degraded).toBe(true);
      expect(list.tickers.every(({ degraded }) => degraded)).toBe(true);
      const [, age] = /^public, max-age=(\d+)$/.exec(response.headers.get('Cache-Control') ?? '') ?? [];
      expect(Number(age)).toBeLessThanOrEqual(5);
    }
    // The readers lost the hub itself, not only the venues.
    expect(log.mock.calls.flat().join()).toContain('price_hub_unreachable');
  });

  it('answers the next reader as soon as the venues answer', async () => {
    const readers = await waitForSilentVenues();
    await abort(reachHub(env));
    await Promise.all(readers);
    await venues.setPrices({ BTC: '65000.12' });
    const { ticker, degraded } = TickerAnswer.parse(await (await send('/api/v1/markets/BTC')).json());
    expect([ticker.price, degraded]).toEqual(['65000.12', false]);
  });
});

describe('a hub that was evicted', () => {
  const hub = () => reachHub(env);

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }));

  it('still shows its last prices, with their own time, when no venue answers', async () => {
    const before = await snapshotNow();
    await evictDurableObject(hub());
    await venues.fail();
    const held = Object.fromEntries(
      coinSymbols.map((coin) => [coin, { shown: { ...before?.markets[coin].shown, isHeld: true }, agreed: null }]),
    );
    expect(await snapshotNow()).toEqual({ ...before, markets: held });
  });

  it('gives no firm price that is older than before', async () => {
    await venues.setPrices({ BTC: '65000' });
    expect(await firmNow()).toBe('65000');
    await evictDurableObject(hub());
    await venues.fail();
    const snapshot = await snapshotNow();
    const { received_ms = 0 } = snapshot?.markets.BTC.agreed ?? {};
    expect(snapshot && firmPrice(snapshot, 'BTC', received_ms + 5_001)).toBeUndefined();
  });

  it('still does not ask a venue that asked to be left alone', async () => {
    await venues.set('kraken', { mode: 'error', status: 429 });
    await snapshotNow();
    await evictDurableObject(hub());
    await snapshotNow();
    expect(await venues.count()).toMatchObject({ binance: { tickers: 2 }, kraken: { tickers: 1 } });
  });

  it('discards stored data that it cannot read', async () => {
    await runInDurableObject(hub(), (_hub, { storage }) => storage.kv.put('kept', { memory: 'of another version' }));
    await evictDurableObject(hub());
    expect(await firmNow()).toBeDefined();
  });
});
