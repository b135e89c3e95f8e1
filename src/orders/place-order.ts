import type { Bindings, LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault, tryOrLog } from '../platform/log.ts';
import { type Outcome, type Refusal, answerJson, overloaded, refuse } from '../http/answer.ts';
import { withDeadline } from '../platform/deadline.ts';
import { reach } from '../platform/objects.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { type OrderPreview, type OrderRow, findClientOrder, readOrder, showOrder } from './order.ts';
import { problems } from '../http/problems.ts';
import { ledgerOf, listLedgers } from '../db/database.ts';
import { type Caller, type LaneOperation, lookUp } from '../lane/once.ts';
import { type OrderTerms, readTerms, refuseReused } from './plan.ts';
import type { BoundsOf, PlaceOrder } from './terms.ts';

export type GateBindings = Pick<Bindings, 'LEDGER_GATE' | 'LEDGER_LOCATION'>;

export interface Placement {
  readonly orderId: string;
  readonly accountId: string;
  readonly keyId: string;
}

/** An order, as its lane sends it to the gate. */
export interface GateCall extends Placement {
  readonly terms: OrderTerms;
  /** How long ago its lane admitted it. No time of one object's clock is compared with another's. */
  readonly waited_ms: number;
}

export type GateReply =
  | { readonly kind: 'committed'; readonly row: OrderRow }
  /** Nothing happened, and the reason is decided. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It may have taken effect, now or earlier. Only its row in D1 can decide. */
  | { readonly kind: 'unknown' };

/** How many orders are in the gate, and how long the last hundred have waited for their price since their admission. */
export interface GateLoad {
  readonly orders: number;
  readonly waits_ms: readonly number[];
}

/** What a lane and a route ask of the gate; the object that answers is `LedgerGate`. */
export interface OrderGate {
  /** Plans an order at the newest prices and commits it; a second call with its id joins the first. */
  placeOrder(call: GateCall): Promise<GateReply>;
  /** What an order would fill at now; it has no effect. */
  preview(ledger: number, terms: OrderTerms): Promise<Outcome<OrderPreview>>;
  readLoad(): Promise<GateLoad>;
  /** Resolves when the orders have ended that the account has in the gate now. */
  awaitOrders(accountId: string): Promise<void>;
}

/**
 * The gate has deadlines of its own: it sends no batch later than 5 s after it got the order, and waits 3 s for each.
 * The deadlines here are for a gate that does not answer at all.
 */
const FILL_DEADLINE_MS = 9_000;
const PREVIEW_DEADLINE_MS = 5_000;

/**
 * Sends an order to the gate of the ledger that its id names. If the gate fails or does not answer in time, the outcome
 * is unknown; it is a refusal only if the gate was overloaded. Never rejects.
 */
async function fillAtGate(bindings: GateBindings, call: GateCall): Promise<GateReply> {
  try {
    return await withDeadline<GateReply>(FILL_DEADLINE_MS, () =>
      reachGate(bindings, ledgerNumberOf(call.orderId)).placeOrder(call),
    );
  } catch (error) {
    logFault('gate_failed', { orderId: call.orderId, error: describeError(error) });
    const wasTurnedAway = error instanceof Error && 'overloaded' in error && error.overloaded === true;
    return wasTurnedAway ? { kind: 'refused', refusal: overloaded } : { kind: 'unknown' };
  }
}

/**
 * A final refusal of an order whose name an earlier one has becomes the refusal that says so: a client that lost the answer
 * to the first must not believe that it has no order. The batch says it of an order that could fill; of others, which no
 * batch sees, this looks. Never rejects.
 */
async function nameFirst(bindings: LedgerBindings, call: GateCall, reply: GateReply): Promise<GateReply> {
  const { accountId, orderId, terms } = call;
  const name = terms.clientOrderId;
  if (name === null || reply.kind !== 'refused' || !problems[reply.refusal.code].kept) return reply;
  const first = await lookUp(orderId, () => findClientOrder(ledgerOf(bindings, orderId), accountId, name));
  if (first.kind === 'absent') return reply;
  if (first.kind === 'unknown') return { kind: 'refused', refusal: overloaded };
  return first.row === orderId ? { kind: 'unknown' } : { kind: 'refused', refusal: refuseReused(first.row) };
}

/**
 * What an order of an account in a ledger would fill at now. Refuses as `LedgerGate.preview` does, also when the gate
 * fails. Never rejects.
 */
export async function previewAtGate(
  bindings: GateBindings,
  ledger: number,
  terms: OrderTerms,
): Promise<Outcome<OrderPreview>> {
  return tryOrLog('gate_failed', {}, overloaded, async () => {
    const gate = reachGate(bindings, ledger);
    return await withDeadline<Outcome<OrderPreview>>(PREVIEW_DEADLINE_MS, () => gate.preview(ledger, terms));
  });
}

/** How long the holder's own change waits for his orders: they have their price or a refusal after 2 s. */
const AWAIT_DEADLINE_MS = 4_000;

/**
 * Waits until the orders of an account have ended that its gate has now. An order is given no price of a moment before its
 * holder could last take it back: so whatever would refuse it, and is his to choose, comes after it. Returns whether
 * the gate answered. Never rejects.
 */
export async function letOrdersEnd(bindings: GateBindings, accountId: string): Promise<boolean> {
  return tryOrLog('gate_failed', { accountId }, false, async () => {
    const gate = reachGate(bindings, ledgerNumberOf(accountId));
    await withDeadline(AWAIT_DEADLINE_MS, () => gate.awaitOrders(accountId));
    return true;
  });
}

/** The load of all gates; `undefined` when one does not answer. Never rejects. */
export async function readGateLoad(bindings: GateBindings & LedgerBindings): Promise<GateLoad | undefined> {
  const gates = listLedgers(bindings).map((ledger) => reachGate(bindings, ledger));
  return tryOrLog('gate_failed', {}, undefined, async () => {
    const loads = await withDeadline(PREVIEW_DEADLINE_MS, () => Promise.all(gates.map((gate) => gate.readLoad())));
    return {
      orders: loads.reduce((sum, { orders }) => sum + orders, 0),
      waits_ms: loads.flatMap(({ waits_ms }) => waits_ms),
    };
  });
}

/** There is one gate for a ledger. It stores nothing, so at another location it may be another one. */
function reachGate({ LEDGER_GATE, LEDGER_LOCATION: location }: GateBindings, ledger: number): OrderGate {
  return reach(LEDGER_GATE, gateName(location, ledger), location) as unknown as OrderGate;
}

export function gateName(location: string, ledger: number): string {
  return `gate ${ledger} ${location}`;
}

/**
 * The POST of an order, as its key's lane executes it. The gate has the prices and sends the batch. `tell` wakes the
 * account's webhooks.
 */
export function placeOrder(
  bindings: GateBindings & LedgerBindings,
  boundsOf: BoundsOf,
  tell: (caller: Caller) => Promise<void>,
): LaneOperation<PlaceOrder, OrderTerms, OrderRow> {
  return {
    bucket: 'trade',
    runsBeside: true,
    plan: async (order) => readTerms(order, boundsOf),
    begin: ({ accountId, keyId }) => ({
      commit: async (orderId, terms, waited_ms) => {
        const call = { orderId, accountId, keyId, terms, waited_ms };
        return nameFirst(bindings, call, await fillAtGate(bindings, call));
      },
      lookUp: (orderId) => lookUp(orderId, () => readOrder(ledgerOf(bindings, orderId), accountId, orderId)),
      answer: (row) => answerJson(201, { order: showOrder(row) }, { Location: `/api/v1/orders/${row.id}` }),
      describeUnknown: (orderId) =>
        refuse(
          'outcome_unknown',
          'It is not known yet whether the order was placed. Repeat the request with the same Idempotency-Key, or read the order by its id.',
          { retryAfterSeconds: 1, members: { orderId } },
        ),
    }),
    tellsOthers: false,
    tell,
  };
}
