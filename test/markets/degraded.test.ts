// @runtime outside
import { emptyEdgeCache } from '../support/runtime/edge-cache.ts';
import { describe, expect, it, vi } from 'vitest';
import { readSnapshot } from '../../src/markets/read-hub.ts';
import { fallbackPrice } from '../../src/markets/fallback-price.ts';
import { TickerList } from '../../src/markets/schemas.ts';
import { formatPrice } from '../../src/money/amounts.ts';
import { type ProblemBody, asOperator, json, openTrader, send } from '../support/exchange.ts';
import { measureDatabase } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { forgetPrices, useVenues, venues } from '../support/markets/venues.ts';
import { sql } from '../support/db/sql.ts';

useVenues();

const pass = (time_ms: number) => vi.setSystemTime(Date.now() + time_ms);

async function listTickers() {
  const response = await send('/api/v1/markets/tickers');
  expect(response.status).toBe(200);
  const { degraded, tickers } = TickerList.parse(await response.json());
  const [, age = 'none'] = /^public, max-age=(\d+)$/.exec(response.headers.get('Cache-Control') ?? '') ?? [];
  return { degraded, bitcoin: tickers[1], ether: tickers[2], kept_s: Number(age) };
}

const setFallbacks = (prices: Record<string, string | null>) =>
  asOperator('PATCH', '/settings', { fallbackPrices: prices });

describe('when every source fails', () => {
  it('tickers are degraded from that round on: they show the last prices until these are 5 s old, are cached for 5 s at most, and fill no order', async () => {
    await venues.setPrices({ BTC: '65000.12' });
    const trader = await openTrader({ USDT: '1000' });
    const before = await listTickers();
    expect(before).toMatchObject({ degraded: false, bitcoin: { price: '65000.12' } });
    expect(before.bitcoin).not.toHaveProperty('degraded');
    await venues.fail();
    pass(3_000);
    await emptyEdgeCache();
    await readSnapshot(env, 0);
    const held = await listTickers();
    expect(held).toMatchObject({ degraded: true, bitcoin: { ...before.bitcoin, degraded: true } });
    expect(held.kept_s).toBeLessThanOrEqual(2);
    const order = await trader.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    expect((await json<ProblemBody>(order)).code).toBe('price_unavailable');
    pass(2_100);
    const gone = await listTickers();
    expect(gone).toMatchObject({ degraded: true, bitcoin: { price: formatPrice(fallbackPrice('BTC')), sources: [] } });
    expect(gone.kept_s).toBeLessThanOrEqual(5);
  });

  it('the first source that answers ends it', async () => {
    await venues.fail();
    expect((await listTickers()).degraded).toBe(true);
    await venues.set('binance', { mode: 'ok' });
    pass(6_000);
    expect(await listTickers()).toMatchObject({ degraded: false, bitcoin: { price: '65000.12' } });
  });
});

describe('the operator’s fallback prices', () => {
  it('are shown instead of those in Bureau’s code, until they are removed', async () => {
    expect((await setFallbacks({ BTC: '91234.5' })).status).toBe(200);
    await venues.fail();
    expect(await listTickers()).toMatchObject({
      degraded: true,
      bitcoin: { price: '91234.5', change24h: 0, degraded: true },
      ether: { price: formatPrice(fallbackPrice('ETH')), degraded: true },
    });
    await setFallbacks({ BTC: null });
    pass(36_000);
    expect((await listTickers()).bitcoin?.price).toBe(formatPrice(fallbackPrice('BTC')));
  });

  it('need no call of the database while any source answers, and one in 30 s while none does', async () => {
    const readFor = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 3) {
        pass(3_000);
        await readSnapshot(env, 0);
      }
    };
    expect((await measureDatabase(() => readFor(60))).databaseTrips).toBe(0);
    await venues.fail();
    await forgetPrices();
    expect((await measureDatabase(() => readFor(30))).databaseTrips).toBe(1);
    expect((await measureDatabase(() => readFor(3))).databaseTrips).toBe(1);
  });

  it('stay in use as they were last read when the settings cannot be read', async () => {
    await setFallbacks({ BTC: '91234.5' });
    await venues.fail();
    expect((await listTickers()).bitcoin?.price).toBe('91234.5');
    await sql('ALTER TABLE settings RENAME TO settings_away').run();
    pass(36_000);
    const away = await listTickers();
    await sql('ALTER TABLE settings_away RENAME TO settings').run();
    expect(away.bitcoin?.price).toBe('91234.5');
    await setFallbacks({ BTC: null });
  });
});
