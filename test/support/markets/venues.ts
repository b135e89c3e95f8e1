import { reachCandleHub } from '../../../src/markets/candles/read-candles.ts';
import { reachHub } from '../../../src/markets/read-hub.ts';
import { runInDurableObject } from 'cloudflare:test';
import type { Coin } from '../../../src/money/assets.ts';
import { type VenueChange, VenueRemote } from '../node/venues/venue-remote.ts';
import type { Venue, VenueName, VenueRequests } from '../node/venues/venue-state.ts';
import { emptyEdgeCache } from '../runtime/edge-cache.ts';
import { forgetConditions } from '../gate.ts';
import { abort } from '../runtime/faults.ts';
import { env } from '../runtime/test-env.ts';

/**
 * The remote control of the server that plays all venues in the runtimes that have some. Its state is shared by all test
 * files of a runtime, which therefore run one after the other; begin each test with `resetVenues()` and `forgetPrices()`.
 */
const remote = () => new VenueRemote(env.VENUE_SERVER ?? '');

/** Puts all venues back as every test finds them, and the counts of requests to zero. */
export function resetVenues(): Promise<void> {
  return remote().reset();
}

/** Changes one venue. Coins that it does not list are ignored. */
export function setVenue(name: VenueName, change: VenueChange): Promise<void> {
  return remote().set(name, change);
}

/** Lets all venues answer, and agree to the digit on these prices: `setVenues({ BTC: '65000.12' })`. */
export function setVenues(prices: Partial<Record<Coin, string>>): Promise<void> {
  return remote().setPrices(prices);
}

/** Lets all venues fail in the same way. */
export function breakVenues(mode: Venue['mode'] = 'error'): Promise<void> {
  return remote().setEach({ mode });
}

/** How often the venues were asked since the last `resetVenues()`. */
export function countVenueRequests(): Promise<VenueRequests> {
  return remote().count();
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
  await forgetConditions();
  await emptyEdgeCache();
}
