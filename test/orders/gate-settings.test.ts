import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FRESH_TIME_MS, GateSettings, SETTINGS_DUE_MS } from '../../src/orders/gate.ts';
import { SETTINGS_MAX_AGE_MS } from '../../src/db/settings.ts';
import { firstLedger } from '../../src/db/database.ts';
import { isSettingsRead, until } from '../support/gate.ts';
import { databaseInternals } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';

beforeEach(async () => {
  await setSpread(0);
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
});

const setSpread = (bps: number) => sql('UPDATE settings SET spread_bps = ? WHERE id = 1', bps).run();

const passTime = (by_ms: number) => vi.setSystemTime(Date.now() + by_ms);

const openSettings = () => new GateSettings(firstLedger(env));

/** How often settings were asked of the database from now on. */
function countReads(): () => number {
  const sends = vi.spyOn(databaseInternals(), '_send');
  return () => sends.mock.calls.filter((call) => isSettingsRead(call[1])).length;
}

async function readSpread(settings: GateSettings) {
  const taken = await settings.take();
  if (!taken.ok) throw new Error(taken.code);
  return taken.value.spreadBps;
}

/** How many refreshes have been put off until they are due. */
function countDue(): () => number {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  return () => timers.mock.calls.filter(([, delay_ms]) => delay_ms === SETTINGS_DUE_MS).length;
}

describe('the settings that the gate holds', () => {
  it('are fetched once for orders that follow each other', async () => {
    const settings = openSettings();
    const count = countReads();
    await Promise.all([settings.take(), settings.take(), settings.take()]);
    await settings.take();
    expect(count()).toBe(1);
  });

  it('are at most 5 s old', async () => {
    const settings = openSettings();
    await settings.take();
    await setSpread(7);
    passTime(SETTINGS_MAX_AGE_MS);
    expect(await readSpread(settings)).toBe(0);
    passTime(1);
    expect(await readSpread(settings)).toBe(7);
  });

  it('are fetched again when the clock went back', async () => {
    const settings = openSettings();
    await settings.take();
    const count = countReads();
    passTime(-60_000);
    await settings.take();
    expect(count()).toBe(1);
  });

  it('are refreshed in the background of an order that can use the held ones, which does not wait', async () => {
    const settings = openSettings();
    await settings.take();
    passTime(SETTINGS_DUE_MS);
    const answer = Promise.withResolvers<never>();
    const send = vi.spyOn(databaseInternals(), '_send').mockReturnValue(answer.promise);
    void settings.keepFresh();
    expect((await settings.take()).ok).toBe(true);
    await until(() => send.mock.calls.length === 1);
    answer.reject(new Error('D1_ERROR: Network connection lost.'));
  });

  it('are refreshed for a minute after the last order, and no longer', async () => {
    const settings = openSettings();
    const count = countReads();
    const due = countDue();
    await settings.keepFresh();
    for (let waited_ms = SETTINGS_DUE_MS; waited_ms <= FRESH_TIME_MS; waited_ms += SETTINGS_DUE_MS) {
      const before = due();
      vi.advanceTimersByTime(SETTINGS_DUE_MS);
      // The next one is put off only when the settings have arrived.
      await until(() => due() > before);
    }
    expect(count()).toBe(FRESH_TIME_MS / SETTINGS_DUE_MS + 1);
    vi.advanceTimersByTime(SETTINGS_DUE_MS);
    expect(vi.getTimerCount()).toBe(0);
    expect(count()).toBe(FRESH_TIME_MS / SETTINGS_DUE_MS + 1);
  });

  it('are used while D1 does not answer, until they are too old', async () => {
    const settings = openSettings();
    await settings.take();
    vi.spyOn(databaseInternals(), '_send').mockRejectedValue(new Error('D1_ERROR: Network connection lost.'));
    passTime(SETTINGS_MAX_AGE_MS);
    expect((await settings.take()).ok).toBe(true);
    passTime(1);
    expect(await settings.take()).toMatchObject({ ok: false, code: 'service_unavailable' });
  });
});
