import type { Bindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import type { Coin } from '../money/assets.ts';
import { LONGEST_WAIT_MS } from './firm-price.ts';
import type { PriceHub, RipePrice, SourceStandings } from './price-hub.ts';
import type { MarketSnapshot } from './snapshot.ts';
import { isRecent, withDeadline } from '../platform/deadline.ts';
import { reach } from '../platform/objects.ts';

export type HubBindings = Pick<Bindings, 'PRICE_HUB' | 'PRICE_HUB_LOCATION'>;

/** The hub has its own deadline; this one is for a hub that does not answer at all. */
const SNAPSHOT_DEADLINE_MS = 3_000;

/**
 * The hub's snapshot; its last round is at most `maxAge_ms` old if the venues answer. `undefined` when the hub does not
 * answer within 3 s. Never rejects.
 */
export function readSnapshot(bindings: HubBindings, maxAge_ms: number): Promise<MarketSnapshot | undefined> {
  return askHub(bindings, (hub) => hub.snapshot({ maxAge_ms }));
}

/**
 * The price for an order that was admitted `waited_ms` ago, as `PriceHub.after` has it; `undefined` when there is none. A
 * hub that was restarted meanwhile is asked once more. Never rejects.
 */
export async function readRipePrice(
  bindings: HubBindings,
  coin: Coin,
  waited_ms: number,
): Promise<RipePrice | undefined> {
  const begun_ms = Date.now();
  const ask = () =>
    askHub(bindings, (hub) => hub.after({ coin, waited_ms: waited_ms + Math.max(0, Date.now() - begun_ms) }));
  const answered = await ask();
  const wasLost = answered === undefined && isRecent(LONGEST_WAIT_MS, begun_ms, Date.now());
  return ((wasLost ? await ask() : answered) ?? undefined) as RipePrice | undefined;
}

/** How the sources of prices stand; `undefined` when the hub does not answer within 3 s. Never rejects. */
export function readStandings(bindings: HubBindings): Promise<SourceStandings | undefined> {
  return askHub(bindings, (hub) => hub.standings());
}

async function askHub<Answer>(
  bindings: HubBindings,
  ask: (hub: ReturnType<typeof reachHub>) => Promise<Answer>,
): Promise<Answer | undefined> {
  return tryOrLog('price_hub_unreachable', {}, undefined, () =>
    withDeadline(SNAPSHOT_DEADLINE_MS, () => ask(reachHub(bindings))),
  );
}

/** The one hub. Another location is another hub. */
export function reachHub({ PRICE_HUB, PRICE_HUB_LOCATION: location }: HubBindings) {
  return reach(PRICE_HUB, `prices ${location}`, location) as DurableObjectStub<PriceHub>;
}
