import { type Outcome, overloaded } from '../http/refusal.ts';
import { withDeadline } from '../platform/with-deadline.ts';
import type { CommitOutcome } from '../ledger/commit.ts';
import type { Database } from '../ledger/database.ts';
import { type PlannedOrder, commitOrders, explainOrderRefusal, toRow } from '../trade/commit-order.ts';
import { type OrderPlan, type OrderTerms, noFirmPrice } from '../trade/plan-order.ts';
import type { GateCall, GateReply } from '../trade/reach-gate.ts';

/** The most orders in one batch: about 5 ms of D1. */
const MAX_ORDERS = 50;

/**
 * How often an order may be rolled back with a batch that refused another one. After that the orders before the refused
 * one go ahead without those behind it. So an order is written three times, not once for each neighbour that is refused.
 */
const MAX_ROLLBACKS = 2;

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
  /** How many batches it was written by that then refused another order. */
  rollbacks: number;
  readonly reply: (reply: GateReply) => void;
  readonly fail: (error: unknown) => void;
}

/** An order and its plan, in a batch. */
interface BatchedOrder extends PlannedOrder {
  readonly waiting: WaitingOrder;
}

/**
 * Commits a ledger's orders, one batch at a time. An order that finds no batch under way goes at once; those that arrive
 * meanwhile go together in the next. Each is planned when its batch is built. An order that the database refuses does not
 * refuse the others of its batch: it gets its answer, and the others are sent again.
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
    this.#waiting.push({ call, terms, wasOvertaken: false, rollbacks: 0, reply: resolve, fail: reject });
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

  /** Sends one batch, and answers its orders or puts them back at the head of those that wait. Never rejects. */
  async #send(batch: readonly BatchedOrder[]): Promise<void> {
    if (batch.length === 0) return;
    let outcome: CommitOutcome;
    try {
      outcome = await this.#commit(batch);
    } catch (error) {
      // A bug, of which the database names no order: nothing of the batch happened.
      if (batch.length > 1) return this.#sendEach(batch);
      for (const { waiting } of batch) waiting.fail(error);
      return;
    }
    if (outcome.kind === 'committed' || outcome.kind === 'unknown') {
      for (const { waiting, plan } of batch) {
        waiting.reply(
          outcome.kind === 'committed' ? { kind: 'committed', row: toRow(waiting.call, plan) } : { kind: 'unknown' },
        );
      }
      return;
    }
    if (outcome.kind === 'overloaded') {
      for (const { waiting } of batch) waiting.reply({ kind: 'refused', refusal: overloaded });
      return;
    }
    const refused = batch.length === 1 ? batch[0] : batch.find(({ waiting }) => waiting.call.orderId === outcome.order);
    if (!refused) return this.#sendEach(batch);
    this.#refuse(refused, outcome);
    await this.#sendOthers(batch, batch.indexOf(refused));
  }

  /** Puts those back that were in a batch with the refused order, or sends those before it, which were rolled back. */
  async #sendOthers(batch: readonly BatchedOrder[], refused: number): Promise<void> {
    const others = batch.map(({ waiting }) => waiting);
    const [written, behind] = [others.slice(0, refused), others.slice(refused + 1)];
    for (const waiting of written) waiting.rollbacks += 1;
    if (written.every(({ rollbacks }) => rollbacks < MAX_ROLLBACKS)) {
      this.#waiting.unshift(...written, ...behind);
      return;
    }
    this.#waiting.unshift(...behind);
    await this.#sources.untilPriced();
    await this.#send(this.#build(written));
  }

  /** Sends each order alone, when the database refused one of them without naming it. */
  async #sendEach(batch: readonly BatchedOrder[]): Promise<void> {
    for (const { waiting } of batch) {
      await this.#sources.untilPriced();
      await this.#send(this.#build([waiting]));
    }
  }

  /** Answers an order that the database refused. One that was overtaken waits for newer prices, once. */
  #refuse(
    { waiting, plan }: BatchedOrder,
    outcome: Exclude<CommitOutcome, { kind: 'committed' | 'unknown' | 'overloaded' }>,
  ) {
    if (outcome.kind === 'exists') return waiting.reply({ kind: 'unknown' });
    if (outcome.kind !== 'guarded' || outcome.guard !== 'price_overtaken') {
      return waiting.reply({ kind: 'refused', refusal: explainOrderRefusal(outcome, waiting.call.accountId) });
    }
    if (waiting.wasOvertaken) return waiting.reply({ kind: 'refused', refusal: noFirmPrice(plan.coin) });
    waiting.wasOvertaken = true;
    void this.#sources.fetchNewer(plan.priceRound).then(() => {
      this.#waiting.unshift(waiting);
      return this.#sendAll();
    });
  }

  async #commit(batch: readonly PlannedOrder[]): Promise<CommitOutcome> {
    try {
      return await withDeadline(BATCH_DEADLINE_MS, () => commitOrders(this.#sources.database, batch));
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        return { kind: 'unknown', cause: error.message };
      throw error;
    }
  }
}
