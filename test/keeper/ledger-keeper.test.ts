import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { reachKeeper } from '../../src/reconciliation/reach-keeper.ts';
import { Progress } from '../../src/reconciliation/progress.ts';
import { SLICE_LIMITS } from '../../src/reconciliation/reconciler.ts';
import { ObjectState } from '../../src/platform/objects.ts';
import { openTrader } from '../support/exchange.ts';
import { until } from '../support/gate.ts';
import { idInCrowd } from '../support/growth/compose-crowd.ts';
import { openCrowd } from '../support/growth/open-crowd.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { keeper, runKeeper } from '../support/reconciliation.ts';
import { aroundBatches } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';

const READ_DEADLINE_MS = 10_000;

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

it('a slice that D1 does not answer ends after 10 s, and is read when the keeper is woken next', async () => {
  await runKeeper();
  const before = await readSoFar();
  await openTrader({ USDT: '10' });
  const errors = vi.spyOn(console, 'error').mockReturnValue();
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
  let isReleased = false;
  const silent = aroundBatches('before', 1, () => until(() => isReleased));
  await runInDurableObject(keeper(), (_instance, { storage }) => storage.setAlarm(8_640_000_000_000));
  const alarm = runDurableObjectAlarm(keeper());
  await until(() => silent.state.injected === 1);
  await runInDurableObject(keeper(), () => void vi.advanceTimersByTime(READ_DEADLINE_MS));
  await alarm;
  expect(errors.mock.calls.flat().join()).toContain('reconciliation_failed');
  expect(await readSoFar()).toBe(before);
  vi.useRealTimers();
  silent.restore();
  isReleased = true;
  await runKeeper();
  expect(await readSoFar()).toBeGreaterThan(before);
});

describe('a keeper of a version that knows one invariant more', () => {
  it('reads no transfer again, and shows no report until its next pass has ended', async () => {
    await runKeeper();
    const { newest, report } = (await reachKeeper(env, 0).read()).progress;
    expect(newest.after).toBeGreaterThan(0);
    expect(report).not.toBeNull();
    await runInDurableObject(keeper(), (_instance, { storage }) => {
      const state = new ObjectState(storage.sql);
      const kept = Progress.parse(state.read('reconciliation'));
      const { history_unchanged: _added, ...earlier } = kept.report?.invariants ?? {};
      state.write('reconciliation', { ...kept, report: { ...kept.report, invariants: earlier } });
    });
    await evictDurableObject(keeper());
    const { progress } = await reachKeeper(env, 0).read();
    expect(progress.newest.after).toBe(newest.after);
    expect(progress.report).toBeNull();
  });
});
