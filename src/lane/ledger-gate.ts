import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../platform/bindings.ts';
import { type Outcome, accept, overloaded, refuse } from '../http/refusal.ts';
import { openLedger } from '../db/ledgers.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import type { PlaceOrder } from '../orders/place-order.ts';
import { type TradingContext, planOrder, readTerms } from '../orders/plan-order.ts';
import { type OrderPreview, showPreview } from '../orders/preview-order.ts';
import type { GateCall, GateReply, OrderGate } from '../orders/reach-gate.ts';
import { GateConditions } from './gate-conditions.ts';
import { OrderBatches } from './order-batches.ts';

/** How many orders may be in the gate at once: about as many as D1 can do before their deadline. */
const ROOM = 256;

/**
 * How many of them may be one account's, which has up to 50 keys, and a session for each signed-in device: half of a
 * batch, so the other half is everybody else's.
 */
const ACCOUNT_ROOM = 25;

const accountIsBusy = refuse('rate_limited', 'Too many orders of this account are under way.', {
  retryAfterSeconds: 1,
});

/** An order that is in the gate. */
interface OrderUnderWay {
  readonly accountId: string;
  readonly reply: Promise<GateReply>;
}

/** What a gate has of its ledger. */
interface OwnLedger {
  readonly ledger: number;
  readonly conditions: GateConditions;
  readonly batches: OrderBatches;
}

/**
 * The gate of one ledger. Every order of its accounts passes through it, so that all are planned at the same prices,
 * and at those of the other ledgers' gates. It stores nothing. If two gates of a ledger run at once, as after a
 * restart, the database refuses orders planned at a round of prices older than the coin's newest fill.
 */
export class LedgerGate extends DurableObject<Bindings> implements OrderGate {
  readonly #context: TradingContext;
  #own: OwnLedger | undefined;
  readonly #orders = new Map<string, OrderUnderWay>();

  constructor(ctx: DurableObjectState, env: Bindings, context: TradingContext) {
    super(ctx, env);
    this.#context = context;
  }

  /**
   * Plans an order at the newest prices and commits it, with the others that wait. A second call with the same order
   * id, while the first is under way, gets the same reply. Refuses as `readTerms`, `planOrder` and
   * `explainOrderRefusal` do, with `rate_limited` when too many orders of its account are in the gate, and with
   * `service_unavailable` when the gate is full, has no settings, or begins with the order after its deadline.
   */
  placeOrder(call: GateCall): Promise<GateReply> {
    const underWay = this.#orders.get(call.orderId);
    if (underWay) return underWay.reply;
    if (this.#orders.size >= ROOM) return Promise.resolve({ kind: 'refused', refusal: overloaded });
    if (this.#countOf(call.accountId) >= ACCOUNT_ROOM) {
      return Promise.resolve({ kind: 'refused', refusal: accountIsBusy });
    }
    const own = this.#open(ledgerNumberOf(call.orderId));
    const reply = this.#fill(own, call).finally(() => this.#orders.delete(call.orderId));
    this.#orders.set(call.orderId, { accountId: call.accountId, reply });
    void own.conditions.keepFresh();
    return reply;
  }

  /** What an order would fill at now; it has no effect. Refuses as `readTerms` and `planOrder` do. */
  async preview(ledger: number, order: PlaceOrder): Promise<Outcome<OrderPreview>> {
    const terms = readTerms(order, this.#context.boundsOf);
    if (!terms.ok) return terms;
    const conditions = await this.#open(ledger).conditions.take(terms.value.coin);
    if (!conditions.ok) return conditions;
    const now_ms = Date.now();
    const planned = planOrder(terms.value, conditions.value, this.#context, now_ms);
    return planned.ok ? accept(showPreview(planned.value, now_ms)) : planned;
  }

  countOrders(): Promise<number> {
    return Promise.resolve(this.#orders.size);
  }

  #countOf(accountId: string): number {
    let count = 0;
    for (const order of this.#orders.values()) if (order.accountId === accountId) count += 1;
    return count;
  }

  async #fill(own: OwnLedger, call: GateCall): Promise<GateReply> {
    const terms = readTerms(call.order, this.#context.boundsOf);
    if (!terms.ok) return { kind: 'refused', refusal: terms };
    // An order waits here for prices and settings if they are too old, and not in front of others.
    const conditions = await own.conditions.take(terms.value.coin);
    if (!conditions.ok) return { kind: 'refused', refusal: conditions };
    return own.batches.place(call, terms.value);
  }

  /** What the gate has of its ledger, which is that of its first call. Throws for another one. */
  #open(ledger: number): OwnLedger {
    this.#own ??= this.#begin(ledger);
    if (this.#own.ledger !== ledger) throw new Error(`the gate of ledger ${this.#own.ledger} got one of ${ledger}`);
    return this.#own;
  }

  #begin(ledger: number): OwnLedger {
    const conditions = new GateConditions(this.env, ledger);
    const batches = new OrderBatches({
      database: openLedger(this.env, ledger),
      untilPriced: () => conditions.untilPriced(),
      plan: (terms) => {
        const held = conditions.held();
        return held.ok ? planOrder(terms, held.value, this.#context, Date.now()) : held;
      },
      fetchNewer: (round) => conditions.fetchNewer(round),
    });
    return { ledger, conditions, batches };
  }
}
