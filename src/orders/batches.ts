import { type Refusal, refuse, type Outcome, overloaded } from '../http/answer.ts';
import { accountFrozen, keyRevoked, refuseExpired } from '../keys/record.ts';
import { type CommitOutcome, logTransfers, readFailure } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { refuseBalance } from '../db/explain.ts';
import { type Transfer, house } from '../db/transfers.ts';
import { FILL_MAX_AGE_MS } from '../markets/firm-price.ts';
import type { OrderPrice } from '../markets/ripe-price.ts';
import { type Coin, QUOTE_ASSET } from '../money/assets.ts';
import type { OrderRow } from './order.ts';
import { type OrderPlan, noFirmPrice, refuseReused, tradingHalted, type OrderTerms } from './plan.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { GateCall, GateReply, Placement } from './place-order.ts';

export interface PlannedOrder {
  readonly placement: Placement;
  /** When its key's lane admitted it, by the gate's clock. */
  readonly admitted_ms: number;
  readonly plan: OrderPlan;
}

/**
 * Why the database refused an order. `figure` is the balance that is too small, in atoms, or the time when the key
 * expired, in milliseconds; `firstId` the order that has the same `clientOrderId`.
 */
export interface RefusedOrder {
  readonly reason:
    | 'exists'
    | 'key_revoked'
    | 'key_expired'
    | 'account_frozen'
    | 'trading_halted'
    | 'client_order_id_reused'
    | 'price_overtaken'
    | 'insufficient_balance'
    | 'house_full';
  readonly figure: bigint;
  readonly firstId: string | null;
}

/** How a batch of orders ended. `refused` names those that were not filled; all others were. */
export type OrdersOutcome =
  | { readonly kind: 'decided'; readonly refused: ReadonlyMap<string, RefusedOrder> }
  | Extract<CommitOutcome, { kind: 'overloaded' | 'unknown' }>;

/** One row of the parameter for each order. Amounts are texts, because numbers of JSON are not exact beyond 2^53. */
const INSERT_ORDERS = `
  INSERT INTO wanted_orders
    (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, price_round, key_id, middle_price,
      admitted_at, price_as_of, client_order_id)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, CAST(value ->> 4 AS INTEGER), CAST(value ->> 5 AS INTEGER),
    CAST(value ->> 6 AS INTEGER), value ->> 7, value ->> 8, CAST(value ->> 9 AS INTEGER), value ->> 10, value ->> 11,
    value ->> 12
  FROM json_each(?)`;
const READ_REFUSED = 'SELECT id, reason, CAST(figure AS TEXT) AS figure, first_id AS firstId FROM refused_orders';
const FORGET_REFUSED = 'DELETE FROM refused_orders';

/**
 * Writes orders in one batch, in one round trip. Each is decided by itself, by what those before it left: it is filled,
 * or refused. An order's trigger moves both its amounts. Its record's id is the order's, its time the order's time.
 * Throws when the database refuses the whole batch, which is a bug; then nothing happened.
 */
export async function commitOrders(database: Database, planned: readonly PlannedOrder[]): Promise<OrdersOutcome> {
  const d1 = database.$client;
  const wanted = d1.prepare(INSERT_ORDERS).bind(JSON.stringify(planned.map(listValues)));
  let notes: readonly RefusalNote[];
  try {
    const [, read] = await d1.batch<RefusalNote>([wanted, d1.prepare(READ_REFUSED), d1.prepare(FORGET_REFUSED)]);
    if (!read) throw new Error('D1 answered a batch without its results');
    notes = read.results;
  } catch (error) {
    const outcome = readFailure(error);
    if (outcome.kind === 'unknown') logTransfers('money_perhaps_moved', planned.flatMap(listTransfers));
    if (outcome.kind === 'unknown' || outcome.kind === 'overloaded') return outcome;
    throw error;
  }
  const refused = new Map(notes.map(({ id, figure, ...note }) => [id, { ...note, figure: BigInt(figure ?? 0) }]));
  const filled = planned.filter(({ placement }) => !refused.has(placement.orderId));
  logTransfers('money_moved', filled.flatMap(listTransfers));
  return { kind: 'decided', refused };
}

interface RefusalNote extends Omit<RefusedOrder, 'figure'> {
  readonly id: string;
  readonly figure: string | null;
}

function listValues({ placement: { accountId, orderId, keyId }, admitted_ms, plan }: PlannedOrder) {
  const { coin, side, executedPrice, coinAmount, usdtAmount, priceRound, middlePrice, priceAsOf_ms } = plan;
  const { clientOrderId } = plan;
  const [price, coins, usdt, middle] = [executedPrice, coinAmount, usdtAmount, middlePrice].map(String);
  const times = [admitted_ms, priceAsOf_ms];
  return [accountId, orderId, coin, side, price, coins, usdt, priceRound, keyId, middle, ...times, clientOrderId];
}

function listTransfers({ placement: { orderId, accountId }, plan }: PlannedOrder): Transfer[] {
  const [coinFrom, coinTo] = plan.side === 'BUY' ? [house.liquidity, accountId] : [accountId, house.liquidity];
  const common = { kind: 'order', reference: orderId } as const;
  const pays = { ...common, debit: coinTo, credit: coinFrom, asset: QUOTE_ASSET, amount: plan.usdtAmount } as const;
  const delivers = { ...common, debit: coinFrom, credit: coinTo, asset: plan.coin, amount: plan.coinAmount } as const;
  return [pays, delivers];
}

export function toRow({ orderId, keyId }: Placement, plan: OrderPlan): OrderRow {
  const { coin, side, executedPrice, coinAmount, usdtAmount, middlePrice, clientOrderId } = plan;
  const moved = { coin, side, executedPrice, coinAmount, usdtAmount, middlePrice };
  return { id: orderId, ...moved, status: 'COMPLETED', keyId, clientOrderId };
}

/** The refusal when the house's inventory would fall below its floor. */
export const houseIsFull = refuse('order_rejected', 'The house takes no more of this position at the moment.');

/** The client's refusal for each reason of the database's. One for `exists` there is not: the order is to be looked up. */
export function explainOrderRefusal(
  { reason, figure, firstId }: RefusedOrder & { readonly reason: Exclude<RefusedOrder['reason'], 'exists'> },
  { coin, side, coinAmount, usdtAmount }: OrderPlan,
): Refusal {
  switch (reason) {
    case 'key_revoked':
      return keyRevoked;
    case 'key_expired':
      return refuseExpired(Number(figure));
    case 'account_frozen':
      return accountFrozen;
    case 'trading_halted':
      return tradingHalted;
    case 'client_order_id_reused':
      return refuseReused(firstId ?? '');
    case 'price_overtaken':
      return noFirmPrice(coin);
    case 'insufficient_balance': {
      const [asset, required] = side === 'BUY' ? ([QUOTE_ASSET, usdtAmount] as const) : ([coin, coinAmount] as const);
      return refuseBalance(
        { asset, balance: figure },
        `The balance of ${asset} is too small for this order.`,
        required,
      );
    }
    case 'house_full':
      return houseIsFull;
  }
}

/** The most orders in one batch: about 5 ms of D1. */
const MAX_ORDERS = 50;

/** How long to wait for a batch. After that the outcome is unknown, until the rows of its orders are looked up. */
const BATCH_DEADLINE_MS = 3_000;

/** What the batches need of the gate. */
export interface BatchSources {
  readonly database: Database;
  plan(terms: OrderTerms, price: OrderPrice | undefined): Outcome<OrderPlan>;
  /** The price that an order fills at now which got this one. */
  newest(price: OrderPrice): OrderPrice;
  /** A price that is as of a moment after this call, if there is one soon. Never rejects. */
  askAnew(coin: Coin): Promise<OrderPrice | undefined>;
}

/** An order's times by the gate's clock, and the price that it may fill at. */
interface RipeOrder {
  readonly admitted_ms: number;
  readonly deadline_ms: number;
  /** `undefined` when there is none. */
  readonly price: OrderPrice | undefined;
}

interface WaitingOrder {
  readonly call: GateCall;
  ripe: RipeOrder;
  /** Whether a batch refused it once because another gate had filled at newer prices. */
  wasOvertaken: boolean;
  readonly reply: (reply: GateReply) => void;
  readonly fail: (error: unknown) => void;
}

interface BatchedOrder extends PlannedOrder {
  readonly waiting: WaitingOrder;
}

/**
 * Commits a ledger's orders, one batch at a time. An order that finds no batch under way goes at once; those that arrive
 * meanwhile go together in the next. Each has its price by then; it is planned when its batch is built, at the newest price
 * of its coin, and filled or refused by itself.
 */
export class OrderBatches {
  readonly #sources: BatchSources;
  #waiting: WaitingOrder[] = [];
  #isSending = false;

  constructor(sources: BatchSources) {
    this.#sources = sources;
  }

  /** Commits an order at its price, or a newer one. Refuses as `planOrder` and `explainOrderRefusal` do, and after its deadline. */
  place(call: GateCall, ripe: RipeOrder): Promise<GateReply> {
    const { promise, resolve, reject } = Promise.withResolvers<GateReply>();
    this.#waiting.push({ call, ripe, wasOvertaken: false, reply: resolve, fail: reject });
    void this.#sendAll();
    return promise;
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (this.#waiting.length > 0) await this.#send(this.#build(this.#takeNext()));
    } finally {
      this.#isSending = false;
    }
  }

  /** The orders of the next batch, in their order: of one account no more than half, unless there are no others. */
  #takeNext(): WaitingOrder[] {
    const counts = new Map<string, number>();
    const isOverShare = ({ call: { accountId } }: WaitingOrder) => {
      const count = (counts.get(accountId) ?? 0) + 1;
      counts.set(accountId, count);
      return count > MAX_ORDERS / 2;
    };
    const { over = [], within = [] } = Object.groupBy(this.#waiting, (order) =>
      isOverShare(order) ? 'over' : 'within',
    );
    const next = [...within, ...over].slice(0, MAX_ORDERS);
    this.#waiting = this.#waiting.filter((order) => !next.includes(order));
    return next;
  }

  /** Plans orders, and answers those that cannot be sent. One whose price has grown old meanwhile gets another. */
  #build(orders: readonly WaitingOrder[]): BatchedOrder[] {
    const now_ms = Date.now();
    return orders.flatMap((waiting) => {
      const { call, ripe } = waiting;
      if (now_ms > ripe.deadline_ms) {
        waiting.reply({ kind: 'refused', refusal: overloaded });
        return [];
      }
      const price = ripe.price && this.#sources.newest(ripe.price);
      if (price && now_ms - price.asOf_ms > FILL_MAX_AGE_MS) {
        void this.#askAnew(waiting);
        return [];
      }
      const plan = this.#sources.plan(call.terms, price);
      if (plan.ok) return [{ placement: call, admitted_ms: ripe.admitted_ms, plan: plan.value, waiting }];
      waiting.reply({ kind: 'refused', refusal: plan });
      return [];
    });
  }

  async #askAnew(waiting: WaitingOrder): Promise<void> {
    const price = await this.#sources.askAnew(waiting.call.terms.coin);
    waiting.ripe = { ...waiting.ripe, price };
    this.#waiting.unshift(waiting);
    await this.#sendAll();
  }

  /** Sends one batch, and answers its orders. Never rejects. */
  async #send(batch: readonly BatchedOrder[]): Promise<void> {
    if (batch.length === 0) return;
    let outcome: OrdersOutcome;
    try {
      outcome = await this.#commit(batch);
    } catch (error) {
      // A bug in one of them, for which the database refused the whole batch: nothing happened.
      for (const { waiting } of batch) {
        if (batch.length > 1) await this.#send(this.#build([waiting]));
        else waiting.fail(error);
      }
      return;
    }
    for (const order of batch) this.#answer(order, outcome);
  }

  /** Answers an order by how its batch ended. One that was overtaken gets a newer price, once. */
  #answer({ waiting, plan }: BatchedOrder, outcome: OrdersOutcome): void {
    if (outcome.kind === 'unknown') return waiting.reply({ kind: 'unknown' });
    if (outcome.kind === 'overloaded') return waiting.reply({ kind: 'refused', refusal: overloaded });
    const refused = outcome.refused.get(waiting.call.orderId);
    if (!refused) return waiting.reply({ kind: 'committed', row: toRow(waiting.call, plan) });
    const { reason } = refused;
    if (reason === 'exists') return waiting.reply({ kind: 'unknown' });
    if (reason !== 'price_overtaken' || waiting.wasOvertaken) {
      return waiting.reply({ kind: 'refused', refusal: explainOrderRefusal({ ...refused, reason }, plan) });
    }
    waiting.wasOvertaken = true;
    void this.#askAnew(waiting);
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
