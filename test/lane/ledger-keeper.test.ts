import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { reachKeeper } from '../../src/ledger/reach-keeper.ts';
import { SLICE_LIMITS } from '../../src/ledger/reconciliation/reconciler.ts';
import { idInCrowd } from '../support/growth/compose-crowd.ts';
import { openCrowd } from '../support/growth/open-crowd.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { keeper, runKeeper } from '../support/ledger/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const readSoFar = async () => (await reachKeeper(env, 0).read()).progress.newest.after;

describe('a journal that is longer than one alarm can read', () => {
  it('is read by several alarms, and each keeps what it has read', async () => {
    await openCrowd(0, 2);
    await writeHistory('deposits', { account: idInCrowd('i % 2'), count: 2 }, 3 * SLICE_LIMITS.explained);
    // Every call of Date.now is half of an alarm's time later than the one before.
    let now_ms = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now_ms += 5_000));
    await runInDurableObject(keeper(), (_instance, { storage }) => storage.setAlarm(8_640_000_000_000));
    await runDurableObjectAlarm(keeper());
    expect(await readSoFar()).toBe(SLICE_LIMITS.explained);
    expect(await runInDurableObject(keeper(), (_instance, { storage }) => storage.getAlarm())).not.toBeNull();
    clock.mockRestore();
    await evictDurableObject(keeper());
    expect(await readSoFar()).toBeGreaterThanOrEqual(SLICE_LIMITS.explained);
    await runKeeper();
    expect(await readSoFar()).toBe(3 * SLICE_LIMITS.explained);
  });
});
