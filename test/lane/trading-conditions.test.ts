import { afterEach, describe, expect, it, vi } from 'vitest';
import { HeldConditions } from '../../src/lane/trading-conditions.ts';
import { SETTINGS_MAX_AGE_MS } from '../../src/ledger/settings.ts';
import { env } from '../support/test-env.ts';
import { databaseInternals } from '../support/meter.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await setSpread(0);
});

const setSpread = (bps: number) => env.DB.prepare('UPDATE settings SET spread_bps = ? WHERE id = 1').bind(bps).run();

/** Reads the conditions at a moment, and says their spread. */
async function readSpread(held: HeldConditions, now_ms: number): Promise<number | null> {
  const read = await held.read('BTC', now_ms);
  if (!read.ok) throw new Error(read.refusal.code);
  return read.value.settings.spreadBps;
}

describe('the conditions that a lane holds', () => {
  it('are read once for orders that follow each other', async () => {
    const held = new HeldConditions(env);
    const now_ms = Date.now();
    await readSpread(held, now_ms);
    const sends = vi.spyOn(databaseInternals(), '_send');
    await readSpread(held, now_ms + 1);
    expect(sends).not.toHaveBeenCalled();
  });

  it('have settings of at most 5 s, however good the price is', async () => {
    const held = new HeldConditions(env);
    const now_ms = Date.now();
    const first = await held.read('BTC', now_ms);
    if (!first.ok || !first.value.snapshot) throw new Error('there are no conditions');
    const { agreed } = first.value.snapshot.markets.BTC;
    if (!agreed) throw new Error('there is no agreed price');
    await setSpread(7);
    // The price would be good for as long: only the age of the settings tells.
    Object.assign(agreed, { received_ms: now_ms + SETTINGS_MAX_AGE_MS, venueTime_ms: null });
    expect(await readSpread(held, now_ms + SETTINGS_MAX_AGE_MS)).toBe(0);
    expect(await readSpread(held, now_ms + SETTINGS_MAX_AGE_MS + 1)).toBe(7);
  });
});
