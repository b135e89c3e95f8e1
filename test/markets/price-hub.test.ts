// @runtime outside
import { runDurableObjectAlarm } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { readSnapshot, reachHub } from '../../src/markets/read-hub.ts';
import type { MarketSnapshot } from '../../src/markets/snapshot.ts';
import { type Coin, coinSymbols } from '../../src/money/assets.ts';
import { formatPrice } from '../../src/money/amounts.ts';
import type { VenueMode } from '../support/node/venues/venue-state.ts';
import { env } from '../support/runtime/test-env.ts';
import { firmNow, snapshotNow } from '../support/markets/snapshots.ts';
import { forgetPrices, useVenues, venues } from '../support/markets/venues.ts';
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

  it('when one venue’s own time is over a minute old', async () => {
    await venues.setPrices({ BTC: '65000' });
    await venues.set('binance', { coins: { BTC: { price: '65000', age_ms: 61_000 } } });
    expect(await firmNow()).toBeUndefined();
    expect(await firmNow('ETH')).toBeDefined();
  });

  it('when two venues jump together by over 10 % within a minute', async () => {
    await venues.setPrices({ BTC: '65000' });
    expect(await firmNow()).toBe('65000');
    await venues.setPrices({ BTC: '75000' });
    expect(await firmNow()).toBeUndefined();
    await venues.setPrices({ BTC: '70000' });
    expect(await firmNow()).toBe('70000');
  });

  it('for a coin that only one venue lists', async () => {
    expect(await firmNow('MATIC')).toBeUndefined();
    expect(shownOf(await snapshotNow(10_000), 'MATIC')).toBe('0.2112');
  });

  it.each<[string, VenueMode, number | null]>([
    ['answers with its own error', 'error', null],
    ['refuses the country', 'error', 451],
    ['is asked too often', 'error', 429],
    ['is down', 'error', 503],
    ['shows a web page', 'html', null],
    ['breaks off in the middle', 'truncated', null],
    ['sends 5 MB', 'huge', null],
    ['drops the connection', 'reset', null],
    ['hangs', 'hang', null],
  ])('when one venue %s, while the other venue’s price is shown within the deadline', async (_case, mode, status) => {
    for (const venue of ['binance', 'kraken'] as const) {
      await venues.reset();
      await forgetPrices();
      await venues.setPrices({ BTC: '65000' });
      await venues.set(venue, { mode, status });
      // Its reader waits for three seconds at most, and gets no snapshot after that.
      const snapshot = await snapshotNow();
      expect(snapshot?.markets.BTC.agreed).toBeNull();
      expect(shownOf(snapshot)).toBe('65000');
    }
  });
});

describe('a row with', () => {
  it.each(['nan', '', '-1', '0', '0.000000001', '1e11', 'Infinity'])(
    'the invalid price %j is dropped, and no other row',
    async (price) => {
      await venues.setPrices({ ETH: '2500' });
      await venues.set('binance', { coins: { BTC: { price } } });
      await venues.set('kraken', { coins: { BTC: { price: '65000' } } });
      expect(await firmNow()).toBeUndefined();
      expect(shownOf(await snapshotNow(10_000))).toBe('65000');
      expect(await firmNow('ETH')).toBe('2500');
    },
  );

  it('a price with an exponent is accepted', async () => {
    await venues.set('binance', { coins: { BTC: { price: '6.5e4' } } });
    await venues.set('kraken', { coins: { BTC: { price: '65000.0' } } });
    expect(await firmNow()).toBe('65000');
  });
});

describe('when no venue answers', () => {
  it('the shown prices stay, with their own time', async () => {
    const before = await snapshotNow();
    await venues.fail();
    const after = await snapshotNow();
    expect(after?.taken_ms).toBe(before?.taken_ms);
    expect(after?.markets.BTC.shown).toEqual({ ...before?.markets.BTC.shown, isHeld: true });
  });

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
