import { runInDurableObject } from 'cloudflare:test';
import type { Coin } from '../../../src/money/assets.ts';
import { venues } from '../../../src/money/venue-symbols.ts';
import {
  type CoinChanges,
  type Venue,
  type VenueChanges,
  type VenueName,
  type VenueRequests,
  spellCoins,
} from '../node/venues/venue-state.ts';
import { emptyEdgeCache } from '../runtime/edge-cache.ts';
import { forgetConditions } from '../gate.ts';
import { abort } from '../runtime/faults.ts';
import { env } from '../runtime/test-env.ts';

/**
 * The remote control of the server that plays all venues in the projects `venues` and `six-venues`, each of which has
 * a server of its own. Its state is shared by all test files of the project, which therefore run one after the other;
 * begin each test with `resetVenues()` and `forgetPrices()`.
 */

/** What a test may change of a venue. */
export interface VenueChange extends Partial<Omit<Venue, 'markets'>> {
  readonly coins?: CoinChanges;
}

async function callControl(method: string, body?: unknown): Promise<VenueRequests> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${env.VENUE_SERVER}/control`, init);
  return response.json();
}

/** Puts all venues back as every test finds them, and the counts of requests to zero. */
export async function resetVenues(): Promise<void> {
  await callControl('DELETE');
}

/** Changes one venue. Coins that it does not list are ignored. */
export async function setVenue(name: VenueName, change: VenueChange): Promise<void> {
  await callControl('PATCH', { [name]: spellChange(name, change) } satisfies VenueChanges);
}

/** Changes all venues in the same way. */
async function setEachVenue(change: VenueChange): Promise<void> {
  await callControl('PATCH', Object.fromEntries(venues.map((name) => [name, spellChange(name, change)])));
}

function spellChange(name: VenueName, { coins = {}, ...change }: VenueChange): NonNullable<VenueChanges[VenueName]> {
  return { ...change, markets: spellCoins(name, coins) };
}

/** Lets all venues answer, and agree to the digit on these prices: `setVenues({ BTC: '65000.12' })`. */
export async function setVenues(prices: Partial<Record<Coin, string>>): Promise<void> {
  const coins = Object.fromEntries(Object.entries(prices).map(([coin, price]) => [coin, { price }]));
  await setEachVenue({ mode: 'ok', coins });
}

/** Lets all venues fail in the same way. */
export async function breakVenues(mode: Venue['mode'] = 'error'): Promise<void> {
  await setEachVenue({ mode });
}

/** How often the venues were asked since the last `resetVenues()`. */
export async function countVenueRequests(): Promise<VenueRequests> {
  return callControl('GET');
}

/** Makes the hubs, the gate and the edge forget everything, so that the next reader starts a round. */
export async function forgetPrices(): Promise<void> {
  const stub = env.PRICE_HUB.getByName('hub');
  await runInDurableObject(stub, (_hub, { storage }) => storage.deleteAll());
  await runInDurableObject(stub, (_hub, { storage }) => storage.deleteAlarm());
  // Not by an eviction, which waits for what is under way, and for the timer of the rounds that orders need.
  await abort(stub);
  await runInDurableObject(env.CANDLE_HUB.getByName('candles'), (_hub, { storage }) => storage.deleteAll());
  await abort(env.CANDLE_HUB.getByName('candles'));
  await forgetConditions();
  await emptyEdgeCache();
}
