import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import type { PriceHub } from './price-hub.ts';
import type { MarketSnapshot } from './snapshot.ts';
import { withDeadline } from '../platform/with-deadline.ts';

/** Where the hub is found. */
export type HubBindings = Pick<Bindings, 'PRICE_HUB' | 'PRICE_HUB_LOCATION'>;

/** There is one hub. */
const HUB_NAME = 'hub';

/** The hub keeps its own deadline; this ends the wait for a hub that does not answer at all. */
const SNAPSHOT_DEADLINE_MS = 3_000;

/**
 * The hub's snapshot, its last round at most `maxAge_ms` old where the venues answer; `undefined` when the hub does
 * not answer within 3 s. Asked `forOrders`, the hub goes on asking the venues often, so that the next order finds fresh
 * prices. Never rejects.
 */
export async function readSnapshot(
  bindings: HubBindings,
  maxAge_ms: number,
  { forOrders = false }: { readonly forOrders?: boolean } = {},
): Promise<MarketSnapshot | undefined> {
  try {
    return await withDeadline(SNAPSHOT_DEADLINE_MS, () => takeStub(bindings).snapshot({ maxAge_ms, forOrders }));
  } catch (error) {
    logFault('price_hub_unreachable', { error: describeError(error) });
    return undefined;
  }
}

/** A stub does not outlive its object's reset, so every call takes a new one. */
function takeStub({ PRICE_HUB, PRICE_HUB_LOCATION }: HubBindings) {
  return PRICE_HUB.getByName(HUB_NAME, { locationHint: PRICE_HUB_LOCATION }) as DurableObjectStub<PriceHub>;
}
