import { config } from '../env.ts';
import { describeError, logFault } from '../platform/log.ts';
import type { PriceHub } from './price-hub.ts';
import type { MarketSnapshot } from './snapshot.ts';
import { withDeadline } from '../platform/with-deadline.ts';

type HubNamespace = DurableObjectNamespace<PriceHub>;

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
  namespace: HubNamespace,
  maxAge_ms: number,
  { forOrders = false }: { readonly forOrders?: boolean } = {},
): Promise<MarketSnapshot | undefined> {
  try {
    return await withDeadline(SNAPSHOT_DEADLINE_MS, () => takeStub(namespace).snapshot({ maxAge_ms, forOrders }));
  } catch (error) {
    logFault('price_hub_unreachable', { error: describeError(error) });
    return undefined;
  }
}

/** A stub does not outlive its object's reset, so every call takes a new one. */
function takeStub(namespace: HubNamespace): DurableObjectStub<PriceHub> {
  return namespace.getByName(HUB_NAME, { locationHint: config.PRICE_HUB_LOCATION });
}
