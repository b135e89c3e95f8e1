import { type Outcome, overloaded } from '../http/refusal.ts';
import { withDeadline } from '../platform/with-deadline.ts';
import type { Database } from '../db/database.ts';
import {
  type OrdersOutcome,
  type PlannedOrder,
  commitOrders,
  explainOrderRefusal,
  toRow,
} from '../orders/commit-order.ts';
import type { OrderPlan, OrderTerms } from '../orders/plan-order.ts';
import type { GateCall, GateReply } from '../orders/reach-gate.ts';

/** The most orders in one batch: about 5 ms of D1. */
const MAX_ORDERS = 50;

/** How long to wait for a batch. After that the outcome is unknown, until the rows of its orders are looked up. */
const BATCH_DEADLINE_MS = 3_000;

/** What the batches need of the gate. */
export interface BatchSources {
  readonly database: Database;
  /** Where no order can be planned at this moment: resolves when one can. Never rejects. */
  untilPriced(): Promise<void> | undefined;
  /** Plans an order at the prices and settings of this moment. */
  plan(terms: OrderTerms): Outcome<OrderPlan>;
  /** Fetches prices of a later round than `round` if there are any. Never rejects. */
  fetchNewer(round: number): Promise<void>;
}

/** An order that waits for its batch. */
interface WaitingOrder {
  readonly call: GateCall;
  readonly terms: OrderTerms;
  /** Whether a batch refused it once because another gate had filled at newer prices. */
  wasOvertaken: boolean;
  readonly reply: (reply: GateReply) => void;
  readonly fail: (error: unknown) => void;
}

/** An order and its plan, in a batch. */
interface BatchedOrder extends PlannedOrder {
  readonly waiting: WaitingOrder;
}

/**
 * Commits a ledger's orders, one batch at a time. An order that finds no batch under way goes at once; those that arrive
 * meanwhile go together in the next. Each is planned when its batch is built, and filled or refused by itself.
 */
export class OrderBatches {
  readonly #sources: BatchSources;
  #waiting: WaitingOrder[] = [];
  #isSending = false;

  constructor(sources: BatchSources) {
    this.#sources = sources;
  }

  /** Commits an order. Refuses as `planOrder` and `explainOrderRefusal` do, and after its deadline. */
  place(call: GateCall, terms: OrderTerms): Promise<GateReply> {
    const { promise, resolve, reject } = Promise.withResolvers<GateReply>();
    this.#waiting.push({ call, terms, wasOvertaken: false, reply: resolve, fail: reject });
    void this.#sendAll();
    return promise;
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#waiting.length > 0) {
        const opening = this.#sources.untilPriced();
        if (opening) await opening;
        await this.#send(this.#build(this.#waiting.splice(0, MAX_ORDERS)));
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** Plans orders, and answers those that cannot be sent. */
  #build(orders: readonly WaitingOrder[]): BatchedOrder[] {
    const now_ms = Date.now();
    return orders.flatMap((waiting) => {
      if (now_ms > waiting.call.deadline_ms) {
        waiting.reply({ kind: 'refused', refusal: overloaded });
        return [];
      }
      const plan = this.#sources.plan(waiting.terms);
      if (plan.ok) return [{ placement: waiting.call, plan: plan.value, waiting }];
      waiting.reply({ kind: 'refused', refusal: plan });
      return [];
    });
  }

  /** Sends one batch, and answers its orders. Never rejects. */
  async #send(batch: readonly BatchedOrder[]): Promise<void> {
    if (batch.length === 0) return;
    let outcome: OrdersOutcome;
    try {
      outcome = await this.#commit(batch);
    } catch (error) {
      // A bug in one of them, for which the database refused the whole batch: nothing happened.
      if (batch.length > 1) return this.#sendEach(batch);
      for (const { waiting } of batch) waiting.fail(error);
      return;
    }
    for (const order of batch) this.#answer(order, outcome);
  }

  async #sendEach(batch: readonly BatchedOrder[]): Promise<void> {
    for (const { waiting } of batch) {
      await this.#sources.untilPriced();
      await this.#send(this.#build([waiting]));
    }
  }

  /** Answers an order by how its batch ended. One that was overtaken waits for newer prices, once. */
  #answer({ waiting, plan }: BatchedOrder, outcome: OrdersOutcome): void {
    if (outcome.kind === 'unknown') return waiting.reply({ kind: 'unknown' });
    if (outcome.kind === 'overloaded') return waiting.reply({ kind: 'refused', refusal: overloaded });
    const refused = outcome.refused.get(waiting.call.orderId);
    if (!refused) return waiting.reply({ kind: 'committed', row: toRow(waiting.call, plan) });
    if (refused.reason === 'exists') return waiting.reply({ kind: 'unknown' });
    if (refused.reason !== 'price_overtaken' || waiting.wasOvertaken) {
      return waiting.reply({ kind: 'refused', refusal: explainOrderRefusal(refused.reason, refused.figure, plan) });
    }
    waiting.wasOvertaken = true;
    void this.#sources.fetchNewer(plan.priceRound).then(() => {
      this.#waiting.unshift(waiting);
      return this.#sendAll();
    });
  }

  async #commit(batch: readonly PlannedOrder[]): Promise<OrdersOutcome> {
    try {
      return await withDeadline(BATCH_DEADLINE_MS, () => commitOrders(this.#sources.database, batch));
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        return { kind: 'unknown', cause: error.message };
      throw error;
    }
  }
}
