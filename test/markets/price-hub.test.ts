// @runtime outside
import { runDurableObjectAlarm } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { readSnapshot, reachHub } from '../../src/markets/read-hub.ts';
import type { MarketSnapshot } from '../../src/markets/snapshot.ts';
import { type Coin, coinSymbols } from '../../src/money/assets.ts';
import { formatPrice } from '../../src/money/amounts.ts';
import { env } from '../support/runtime/test-env.ts';
import { firmNow, snapshotNow } from '../support/markets/snapshots.ts';
import { useVenues, venues } from '../support/markets/venues.ts';
import { atOnce } from '../support/at-once.ts';

useVenues();

const shownOf = (snapshot: MarketSnapshot | undefined, coin: Coin = 'BTC') => {
  const shown = snapshot?.markets[coin].shown;
  return shown ? formatPrice(shown.price) : null;
};

describe('a round', () => {
  it('asks each venue once for all coins, by the venue’s own symbols', async () => {
    const snapshot = await snapshotNow();
    expect(coinSymbols.filter((coin) => snapshot?.markets[coin].shown === null)).toEqual([]);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 1 }, kraken: { tickers: 1 } });
  });

  it('serves 50 readers without a cached answer at once', async () => {
    await venues.set('kraken', { delay_ms: 200 });
    const snapshots = await atOnce(50, () => snapshotNow(10_000));
    expect(new Set(snapshots.map((snapshot) => shownOf(snapshot)))).toEqual(new Set(['65003.36']));
    expect(await venues.count()).toMatchObject({ binance: { tickers: 1 }, kraken: { tickers: 1 } });
  });

  it('is not started while the last round is fresh enough for the reader', async () => {
    await snapshotNow();
    await snapshotNow(10_000);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 1 }, kraken: { tickers: 1 } });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await snapshotNow(0);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 2 }, kraken: { tickers: 2 } });
  });

  it('gives the mean of two venues that agree, the volume of the first, and the change since the rolling open', async () => {
    await venues.set('binance', { coins: { BTC: { price: '65000.01', open: '50000', volume: '33278.391290' } } });
    await venues.set('kraken', { coins: { BTC: { price: '65000.02', volume: '598' } } });
    const snapshot = await snapshotNow();
    expect(snapshot?.markets.BTC.shown).toMatchObject({
      price: 6_500_001_500_000n,
      change24h: 0.3,
      volume24h: '33278.39129',
    });
    expect(await firmNow()).toBe('65000.015');
  });
});

describe('there is no firm price', () => {
  it('when one of two venues is 1000 times off, and the shown price stays near the last one', async () => {
    await venues.setPrices({ BTC: '65000' });
    expect(await firmNow()).toBe('65000');
    await venues.set('kraken', { coins: { BTC: { price: '65000000' } } });
    const snapshot = await snapshotNow();
    expect(snapshot?.markets.BTC.agreed).toBeNull();
    expect(shownOf(snapshot)).toBe('65000');
    expect(snapshot?.markets.ETH.agreed).not.toBeNull();
  });
});

describe('when no venue answers', () => {
  it('a hub without any earlier answer shows nothing', async () => {
    await venues.fail('html');
    const snapshot = await snapshotNow();
    expect(coinSymbols.filter((coin) => snapshot?.markets[coin].shown !== null)).toEqual([]);
  });

  it('the venues are asked again after a second at the earliest', async () => {
    await venues.fail();
    await readSnapshot(env, 0);
    vi.setSystemTime(Date.now() + 1_000);
    await readSnapshot(env, 0);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 1 }, kraken: { tickers: 1 } });
    await venues.setPrices({ BTC: '65000' });
    vi.setSystemTime(Date.now() + 501);
    expect(await firmNow()).toBe('65000');
  });
});

describe('between its readers’ calls', () => {
  const hub = () => reachHub(env);

  it('the hub asks the venues again while there are readers, and until a minute after the last', async () => {
    await snapshotNow();
    vi.setSystemTime(Date.now() + 8_000);
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 2 }, kraken: { tickers: 2 } });
    vi.setSystemTime(Date.now() + 60_001);
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect(await runDurableObjectAlarm(hub())).toBe(false);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 2 }, kraken: { tickers: 2 } });
  });

  it('the next reader starts this again', async () => {
    await snapshotNow();
    vi.setSystemTime(Date.now() + 60_001);
    await runDurableObjectAlarm(hub());
    await snapshotNow();
    vi.setSystemTime(Date.now() + 8_000);
    expect(await runDurableObjectAlarm(hub())).toBe(true);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 3 }, kraken: { tickers: 3 } });
  });
});

describe('a venue with a least interval', () => {
  it('Kraken is asked in every second round, and its last answer is repeated with its own time', async () => {
    await venues.setPrices({ BTC: '65000' });
    const first = await readSnapshot(env, 0);
    await venues.setPrices({ BTC: '65100' });
    vi.setSystemTime(Date.now() + 1_000);
    const second = await readSnapshot(env, 0);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 2 }, kraken: { tickers: 1 } });
    expect(second?.markets.BTC.agreed).toMatchObject({
      price: 6_505_000_000_000n,
      dispersion: 10_000_000_000n,
      received_ms: first?.markets.BTC.agreed?.received_ms,
    });
    vi.setSystemTime(Date.now() + 500);
    const third = await readSnapshot(env, 0);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 3 }, kraken: { tickers: 2 } });
    expect(third?.markets.BTC.agreed).toMatchObject({ price: 6_510_000_000_000n, dispersion: 0n });
  });
});
