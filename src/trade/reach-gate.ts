import { config } from '../env.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type Outcome, type Refusal, overloaded } from '../http/refusal.ts';
import { withDeadline } from '../platform/with-deadline.ts';
import type { LedgerGate } from '../lane/ledger-gate.ts';
import type { Placement } from './commit-order.ts';
import type { OrderRow } from './order.ts';
import type { OrderPreview } from './preview-order.ts';
import type { PlaceOrder } from './place-order.ts';

export type GateNamespace = DurableObjectNamespace<LedgerGate>;

/** An order, as its lane hands it over. */
export interface GateCall extends Placement {
  readonly order: PlaceOrder;
  /** An order that is taken up later is refused, and nothing happened. */
  readonly deadline_ms: number;
}

/** What became of an order at the gate. */
export type GateReply =
  | { readonly kind: 'committed'; readonly row: OrderRow }
  /** Nothing happened, and the reason is decided. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It may have taken effect, now or earlier: its row tells. */
  | { readonly kind: 'unknown' };

/**
 * The gate keeps its own deadlines: no batch goes out later than 5 s after the order was handed over, and each is waited
 * for 3 s. These end the wait for a gate that does not answer at all.
 */
const FILL_DEADLINE_MS = 9_000;
const PREVIEW_DEADLINE_MS = 5_000;

/**
 * Hands an order over to the ledger's gate. A gate that fails or does not answer in time leaves the outcome unknown;
 * only one that turned the call away is a refusal. Never rejects.
 */
export async function fillAtGate(namespace: GateNamespace, call: GateCall): Promise<GateReply> {
  try {
    return await withDeadline<GateReply>(FILL_DEADLINE_MS, () => takeStub(namespace).placeOrder(call));
  } catch (error) {
    logFault('gate_failed', { orderId: call.orderId, error: describeError(error) });
    const wasTurnedAway = error instanceof Error && 'overloaded' in error && error.overloaded === true;
    return wasTurnedAway ? { kind: 'refused', refusal: overloaded } : { kind: 'unknown' };
  }
}

/** What an order would fill at now. Refuses as `LedgerGate.preview` does, also when the gate fails. Never rejects. */
export async function previewAtGate(namespace: GateNamespace, order: PlaceOrder): Promise<Outcome<OrderPreview>> {
  try {
    return await withDeadline<Outcome<OrderPreview>>(PREVIEW_DEADLINE_MS, () => takeStub(namespace).preview(order));
  } catch (error) {
    logFault('gate_failed', { error: describeError(error) });
    return overloaded;
  }
}

/**
 * There is one gate for a ledger. Where it lives is decided when it is first made, so the place is part of its name.
 * A stub does not outlive its object's reset, so every call takes a new one.
 */
function takeStub(namespace: GateNamespace): DurableObjectStub<LedgerGate> {
  const { LEDGER_LOCATION: location } = config;
  return namespace.getByName(gateName(location), { locationHint: location });
}

/** The name of the gate near a ledger that lies there. */
export function gateName(location: string): string {
  return `gate ${location}`;
}
