import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../platform/bindings.ts';
import { type Outcome, accept, overloaded } from '../http/refusal.ts';
import { withDeadline } from '../platform/with-deadline.ts';
import type { CommitOutcome } from '../ledger/commit.ts';
import { ledgerOf } from '../ledger/ledgers.ts';
import { commitOrder, explainOrderRefusal, toRow } from '../trade/commit-order.ts';
import type { PlaceOrder } from '../trade/place-order.ts';
import {
  type OrderPlan,
  type OrderTerms,
  type TradingConditions,
  type TradingContext,
  noFirmPrice,
  planOrder,
  readTerms,
} from '../trade/plan-order.ts';
import { type OrderPreview, showPreview } from '../trade/preview-order.ts';
import type { GateCall, GateReply, OrderGate } from '../trade/reach-gate.ts';
import { GateConditions } from './gate-conditions.ts';

/** How many orders may be in the gate at once: about as many as D1 can do before their deadline. */
const ROOM = 256;

/** How long to wait for a batch. After that the outcome is unknown, until the order's row is looked up. */
const BATCH_DEADLINE_MS = 3_000;

/**
 * The gate of a ledger. Every order passes through it, so that all are planned at the same, newest prices. It stores
 * nothing. If two gates run at once, as after a restart, the database refuses orders planned at a round of prices older
 * than the coin's newest fill.
 */
export class LedgerGate extends DurableObject<Bindings> implements OrderGate {
  readonly #conditions: GateConditions;
  readonly #context: TradingContext;
  readonly #orders = new Map<string, Promise<GateReply>>();

  constructor(ctx: DurableObjectState, env: Bindings, context: TradingContext) {
    super(ctx, env);
    this.#context = context;
    this.#conditions = new GateConditions(env);
  }

  /**
   * Plans an order at the newest prices and commits it. A second call with the same order id, while the first is under
   * way, gets the same reply. Refuses as `readTerms`, `planOrder` and `explainOrderRefusal` do, and with
   * `service_unavailable` when the gate is full, has no settings, or begins with the order after its deadline.
   */
  placeOrder(call: GateCall): Promise<GateReply> {
    const underWay = this.#orders.get(call.orderId);
    if (underWay) return underWay;
    if (this.#orders.size >= ROOM) return Promise.resolve({ kind: 'refused', refusal: overloaded });
    const reply = this.#fill(call).finally(() => this.#orders.delete(call.orderId));
    this.#orders.set(call.orderId, reply);
    void this.#conditions.keepFresh();
    return reply;
  }

  /** What an order would fill at now; it has no effect. Refuses as `readTerms` and `planOrder` do. */
  async preview(order: PlaceOrder): Promise<Outcome<OrderPreview>> {
    const terms = readTerms(order, this.#context.boundsOf);
    if (!terms.ok) return terms;
    const conditions = await this.#conditions.take(terms.value.coin);
    if (!conditions.ok) return conditions;
    const now_ms = Date.now();
    const planned = planOrder(terms.value, conditions.value, this.#context, now_ms);
    return planned.ok ? accept(showPreview(planned.value, now_ms)) : planned;
  }

  countOrders(): Promise<number> {
    return Promise.resolve(this.#orders.size);
  }

  async #fill(call: GateCall): Promise<GateReply> {
    const terms = readTerms(call.order, this.#context.boundsOf);
    if (!terms.ok) return { kind: 'refused', refusal: terms };
    const first = await this.#attempt(call, terms.value, await this.#conditions.take(terms.value.coin));
    if (!('overtakenRound' in first)) return first;
    // Another gate has filled at newer prices, so plan again at prices at least as new.
    const newer = await this.#conditions.takeNewer(first.overtakenRound);
    const second = await this.#attempt(call, terms.value, newer);
    if (!('overtakenRound' in second)) return second;
    return { kind: 'refused', refusal: noFirmPrice(terms.value.coin) };
  }

  /** Plans an order and sends its batch at once, without waiting in between. */
  async #attempt(
    call: GateCall,
    terms: OrderTerms,
    conditions: Outcome<TradingConditions>,
  ): Promise<GateReply | { readonly overtakenRound: number }> {
    if (!conditions.ok) return { kind: 'refused', refusal: conditions };
    const now_ms = Date.now();
    if (now_ms > call.deadline_ms) return { kind: 'refused', refusal: overloaded };
    const planned = planOrder(terms, conditions.value, this.#context, now_ms);
    if (!planned.ok) return { kind: 'refused', refusal: planned };
    const plan = planned.value;
    const outcome = await this.#commit(call, plan);
    switch (outcome.kind) {
      case 'committed':
        return { kind: 'committed', row: toRow(call, plan) };
      case 'floor':
      case 'guarded':
        if (outcome.kind === 'guarded' && outcome.guard === 'price_overtaken') {
          return { overtakenRound: plan.priceRound };
        }
        return { kind: 'refused', refusal: explainOrderRefusal(outcome, call.accountId) };
      case 'overloaded':
        return { kind: 'refused', refusal: overloaded };
      case 'exists':
      case 'unknown':
        return { kind: 'unknown' };
    }
  }

  async #commit(call: GateCall, plan: OrderPlan): Promise<CommitOutcome> {
    try {
      return await withDeadline(BATCH_DEADLINE_MS, () => commitOrder(ledgerOf(this.env, call.accountId), call, plan));
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        return { kind: 'unknown', cause: error.message };
      throw error;
    }
  }
}
