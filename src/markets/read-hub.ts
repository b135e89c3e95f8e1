import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import type { PriceHub } from './price-hub.ts';
import type { SnapshotForOrders } from './snapshot.ts';
import type { BreakerState } from './sources/circuit-breakers.ts';
import { withDeadline } from '../platform/deadline.ts';
import { reach } from '../platform/objects.ts';

export type HubBindings = Pick<Bindings, 'PRICE_HUB' | 'PRICE_HUB_LOCATION'>;

/** The hub has its own deadline; this one is for a hub that does not answer at all. */
const SNAPSHOT_DEADLINE_MS = 3_000;

/**
 * The hub's snapshot; its last round is at most `maxAge_ms` old if the venues answer. `undefined` when the hub does not
 * answer within 3 s. With `forOrders` the hub begins a round every second for a while, so that the next order finds
 * fresh prices. Never rejects.
 */
export function readSnapshot(
  bindings: HubBindings,
  maxAge_ms: number,
  { forOrders = false }: { readonly forOrders?: boolean } = {},
): Promise<SnapshotForOrders | undefined> {
  return askHub(bindings, (hub) => hub.snapshot({ maxAge_ms, forOrders }));
}

/** How each source of prices stands, by its name; `undefined` when the hub does not answer within 3 s. Never rejects. */
export function readStandings(bindings: HubBindings): Promise<Readonly<Record<string, BreakerState>> | undefined> {
  return askHub(bindings, (hub) => hub.standings());
}

async function askHub<Answer>(
  bindings: HubBindings,
  ask: (hub: ReturnType<typeof reachHub>) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await withDeadline(SNAPSHOT_DEADLINE_MS, () => ask(reachHub(bindings)));
  } catch (error) {
    logFault('price_hub_unreachable', { error: describeError(error) });
    return undefined;
  }
}

/** The one hub. Another location is another hub. */
export function reachHub({ PRICE_HUB, PRICE_HUB_LOCATION: location }: HubBindings) {
  return reach(PRICE_HUB, `prices ${location}`, location) as DurableObjectStub<PriceHub>;
}
