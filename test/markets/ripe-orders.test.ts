// @runtime outside-by-hand
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { reachHub } from '../../src/markets/read-hub.ts';
import { formatPrice } from '../../src/money/amounts.ts';
import { env } from '../support/runtime/test-env.ts';
import { forgetPrices, useVenues, venues } from '../support/markets/venues.ts';
import { atOnce } from '../support/at-once.ts';
import { openTrader } from '../support/exchange.ts';
import { abort } from '../support/runtime/faults.ts';
import { waitFor } from '../support/wait-for.ts';

/** The hub gives orders their prices. The streams are off here, so it asks the venues. */
useVenues();

const hub = () => reachHub(env);
const ask = (waited_ms = 0) => hub().after({ coin: 'BTC', waited_ms });

async function priceAfter(waited_ms = 0): Promise<string | null> {
  const price = await ask(waited_ms);
  return price && formatPrice(price.price);
}

describe('an order that is admitted', () => {
  it('after a sleep fills by one question to each venue, which all orders of that moment share', async () => {
    await venues.setPrices({ BTC: '65000' });
    const prices = await atOnce(20, () => ask());
    for (const price of prices) expect(price).toMatchObject({ votes: 6, since_ms: 0 });
    // With numbers of their own, one that fills would have overtaken those that fill after it.
    expect(new Set(prices.map((price) => price?.round)).size).toBe(1);
    expect(await venues.count()).toMatchObject({ binance: { tickers: 1 }, kraken: { tickers: 1 } });
  });

  it('after the last question gets no price of that one, but of the next', async () => {
    await venues.setPrices({ BTC: '65000' });
    expect(await priceAfter()).toBe('65000');
    await venues.setPrices({ BTC: '65100' });
    vi.setSystemTime(Date.now() + 900);
    expect(await priceAfter()).toBe('65100');
    expect(await venues.count()).toMatchObject({ binance: { tickers: 2 } });
  });

  it('before it fills at what is known, and as of then', async () => {
    await venues.setPrices({ BTC: '65000' });
    await ask();
    vi.setSystemTime(Date.now() + 400);
    expect(await ask(500)).toMatchObject({ since_ms: 100 });
    expect(await venues.count()).toMatchObject({ binance: { tickers: 1 } });
  });

  it('has no price within 2 s where the venues do not agree, and nothing fills', async () => {
    await venues.setPrices({ BTC: '65000' });
    for (const venue of ['kraken', 'gate', 'okx'] as const)
      await venues.set(venue, { coins: { BTC: { price: '66000' } } });
    expect(await ask()).toBeNull();
  });

  it('has no price of three venues where four answer, and one where no more than three do', async () => {
    await venues.setPrices({ BTC: '65000' });
    for (const venue of ['okx', 'coinbase', 'kucoin'] as const) await venues.set(venue, { mode: 'error' });
    expect(await ask()).toMatchObject({ votes: 3 });
    await venues.set('okx', { mode: 'ok', coins: { BTC: { price: '65000000' } } });
    await forgetPrices();
    expect(await ask()).toBeNull();
  });

  it('makes the hub store a row once in a minute, which reserves the numbers', async () => {
    await ask();
    const puts = await runInDurableObject(hub(), (_hub, { storage }) =>
      vi.spyOn(Object.getPrototypeOf(storage.kv) as SyncKvStorage, 'put'),
    );
    for (let second = 0; second < 70; second += 1) {
      vi.setSystemTime(Date.now() + 1_000);
      expect(await ask()).not.toBeNull();
    }
    expect(puts).toHaveBeenCalledTimes(1);
  });
});

it('orders that wait while the hub is reset are filled once each, by the hub that follows', async () => {
  const trader = await openTrader({ USDT: '1000' });
  await venues.fail('hang');
  const orders = Array.from({ length: 5 }, (_, index) => trader.order({ value: '10' }, `reset-${index}`));
  await waitFor(async () => expect((await venues.count()).binance.tickers).toBeGreaterThan(0));
  // The questions that were asked are never answered.
  await venues.setEach({ mode: 'ok' });
  await abort(hub());
  expect((await Promise.all(orders)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect((await trader.balances())['USDT']).toBe('950');
});

it('a ticker shows the price of the last fill', async () => {
  await venues.setPrices({ BTC: '65000' });
  await hub().snapshot({ maxAge_ms: 0 });
  vi.setSystemTime(Date.now() + 1_500);
  await venues.setPrices({ BTC: '65100' });
  await ask();
  const { markets } = await hub().snapshot({ maxAge_ms: 60_000 });
  expect(formatPrice(markets.BTC.shown?.price ?? 0n)).toBe('65100');
});
