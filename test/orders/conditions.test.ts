import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FRESH_INTERVAL_MS, FRESH_TIME_MS, GateConditions } from '../../src/orders/gate.ts';
import { SETTINGS_MAX_AGE_MS } from '../../src/db/settings.ts';
import { FILL_MAX_AGE_MS } from '../../src/markets/firm-price.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { until } from '../support/gate.ts';
import { databaseInternals } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await setSpread(0);
});

const setSpread = (bps: number) => sql('UPDATE settings SET spread_bps = ? WHERE id = 1', bps).run();

const passTime = (by_ms: number) => vi.setSystemTime(Date.now() + by_ms);

async function take(conditions: GateConditions) {
  const taken = await conditions.take('BTC');
  if (!taken.ok) throw new Error(taken.code);
  return taken.value;
}

function countQuestions() {
  const hub = vi.spyOn(PriceHub.prototype, 'snapshot');
  const database = vi.spyOn(databaseInternals(), '_send');
  return () => ({ hub: hub.mock.calls.length, database: database.mock.calls.length });
}

describe('the prices and settings that the gate holds', () => {
  it('are fetched once for orders that follow each other', async () => {
    const conditions = new GateConditions(env, 0);
    const count = countQuestions();
    await Promise.all([take(conditions), take(conditions), take(conditions)]);
    await take(conditions);
    expect(count()).toEqual({ hub: 1, database: 1 });
  });

  it('are asked of the hub with `forOrders`, as old as one second at most', async () => {
    const snapshot = vi.spyOn(PriceHub.prototype, 'snapshot');
    await take(new GateConditions(env, 0));
    expect(snapshot.mock.calls).toEqual([[{ maxAge_ms: 1_000, forOrders: true }]]);
  });

  it('have settings that are at most 5 s old, even when the price is newer', async () => {
    const conditions = new GateConditions(env, 0);
    const { snapshot } = await take(conditions);
    await setSpread(7);
    // The price would be valid for as long, so only the age of the settings decides.
    const received_ms = Date.now() + SETTINGS_MAX_AGE_MS;
    Object.assign(snapshot?.markets.BTC.agreed ?? {}, { received_ms, venueTime_ms: null });
    passTime(SETTINGS_MAX_AGE_MS);
    expect((await take(conditions)).settings.spreadBps).toBe(0);
    passTime(1);
    expect((await take(conditions)).settings.spreadBps).toBe(7);
  });

  it('have prices that are at most 2 s old: an order waits for newer ones when they are older', async () => {
    const conditions = new GateConditions(env, 0);
    const { snapshot } = await take(conditions);
    const age_ms = Date.now() - (snapshot?.markets.BTC.agreed?.received_ms ?? 0);
    const count = countQuestions();
    passTime(FILL_MAX_AGE_MS - age_ms);
    expect((await take(conditions)).snapshot?.round).toBe(snapshot?.round);
    expect(count().hub).toBe(0);
    passTime(1);
    expect((await take(conditions)).snapshot?.round).toBeGreaterThan(snapshot?.round ?? 0);
    expect(count().hub).toBe(1);
  });

  it('are fetched again when the clock went back', async () => {
    const conditions = new GateConditions(env, 0);
    await take(conditions);
    const count = countQuestions();
    passTime(-60_000);
    await take(conditions);
    expect(count()).toEqual({ hub: 1, database: 1 });
  });

  it('are refreshed in the background of an order that can use the held ones, which does not wait', async () => {
    const conditions = new GateConditions(env, 0);
    await take(conditions);
    passTime(FRESH_INTERVAL_MS);
    const answer = Promise.withResolvers<never>();
    const snapshot = vi.spyOn(PriceHub.prototype, 'snapshot').mockReturnValue(answer.promise);
    void conditions.keepFresh();
    await take(conditions);
    await until(() => snapshot.mock.calls.length === 1);
    answer.reject(new Error('the hub is away'));
  });

  it('are refreshed for a minute after the last order, and no longer', async () => {
    const conditions = new GateConditions(env, 0);
    const count = countQuestions();
    void conditions.keepFresh();
    await take(conditions);
    for (let waited_ms = FRESH_INTERVAL_MS; waited_ms <= FRESH_TIME_MS; waited_ms += FRESH_INTERVAL_MS) {
      const { hub } = count();
      await until(() => vi.getTimerCount() > 0);
      vi.advanceTimersByTime(FRESH_INTERVAL_MS);
      await until(() => count().hub > hub);
      // The next timer is set only when the prices have arrived.
      await until(() => vi.getTimerCount() === 1);
    }
    const { hub, database } = count();
    expect(hub).toBe(FRESH_TIME_MS / FRESH_INTERVAL_MS + 1);
    expect(database).toBeLessThanOrEqual(FRESH_TIME_MS / 2_000 + 1);
    vi.advanceTimersByTime(FRESH_INTERVAL_MS);
    expect(vi.getTimerCount()).toBe(0);
    expect(count()).toEqual({ hub, database });
  });

  it('are used while neither the hub nor D1 answers, until they are too old', async () => {
    const conditions = new GateConditions(env, 0);
    await take(conditions);
    vi.spyOn(PriceHub.prototype, 'snapshot').mockRejectedValue(new Error('the hub is away'));
    vi.spyOn(databaseInternals(), '_send').mockRejectedValue(new Error('D1_ERROR: Network connection lost.'));
    passTime(3_000);
    const { snapshot } = await take(conditions);
    expect(snapshot?.round).toBeGreaterThan(0);
    passTime(2_001);
    expect(await conditions.take('BTC')).toMatchObject({ ok: false, code: 'service_unavailable' });
  });
});
