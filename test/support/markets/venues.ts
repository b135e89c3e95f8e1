import { reachCandleHub } from '../../../src/markets/candles/read-candles.ts';
import { reachHub } from '../../../src/markets/read-hub.ts';
import { runInDurableObject } from 'cloudflare:test';
import { beforeEach, vi } from 'vitest';
import { VenueRemote } from '../node/venues/venue-remote.ts';
import { emptyEdgeCache } from '../runtime/edge-cache.ts';
import { forgetSettings } from '../gate.ts';
import { abort } from '../runtime/faults.ts';
import { env } from '../runtime/test-env.ts';

/**
 * Controls the server that plays all venues in the runtimes that have some. Its state is shared by all test files of a
 * runtime, which therefore run one after the other; begin each test with `venues.reset()` and `forgetPrices()`.
 */
export const venues = new VenueRemote(env.VENUE_SERVER ?? '');

/** Each test begins with sound venues and hubs that know nothing, if wanted under a clock that stands still. */
export function useVenues(clock: 'stopped' | 'running' = 'stopped'): void {
  beforeEach(async () => {
    if (clock === 'stopped') vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    await venues.reset();
    await forgetPrices();
  });
}

/** Makes the hubs, the gate and the edge forget everything, so that the next reader starts a round. */
export async function forgetPrices(): Promise<void> {
  const stub = reachHub(env);
  await runInDurableObject(stub, (_hub, { storage }) => storage.deleteAll());
  await runInDurableObject(stub, (_hub, { storage }) => storage.deleteAlarm());
  // Not by an eviction, which waits for what is under way, and for the timer of the rounds that orders need.
  await abort(stub);
  await runInDurableObject(reachCandleHub(env), (_hub, { storage }) => storage.deleteAll());
  await abort(reachCandleHub(env));
  await forgetSettings();
  await emptyEdgeCache();
}
