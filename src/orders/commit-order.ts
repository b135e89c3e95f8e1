import { type Answer, answerJson } from '../http/answer.ts';
import { type Refusal, refuse } from '../http/refusal.ts';
import { accountFrozen, keyRevoked, refuseExpired } from '../keys/admission.ts';
import { type CommitOutcome, logTransfers, readFailure } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { refuseBalance } from '../db/refuse-balance.ts';
import { type Transfer, house } from '../db/transfers.ts';
import { QUOTE_ASSET } from '../money/assets.ts';
import { type OrderRow, showOrder } from './order.ts';
import { type OrderPlan, noFirmPrice, tradingHalted } from './plan-order.ts';

/** Who places an order, and the order's id. */
export interface Placement {
  readonly orderId: string;
  readonly accountId: string;
  /** The API key that it was placed with. */
  readonly keyId: string;
}

/** An order that was planned, and who places it. */
export interface PlannedOrder {
  readonly placement: Placement;
  readonly plan: OrderPlan;
}

/**
 * Why the database refused an order. `figure` is the balance that is too small, in atoms, or the time when the key
 * expired, in milliseconds.
 */
export interface RefusedOrder {
  readonly reason:
    | 'exists'
    | 'key_revoked'
    | 'key_expired'
    | 'account_frozen'
    | 'trading_halted'
    | 'price_overtaken'
    | 'insufficient_balance'
    | 'house_full';
  readonly figure: bigint;
}

/** How a batch of orders ended. `refused` names those that were not filled; all others were. */
export type OrdersOutcome =
  | { readonly kind: 'decided'; readonly refused: ReadonlyMap<string, RefusedOrder> }
  | Extract<CommitOutcome, { kind: 'overloaded' | 'unknown' }>;

/** One row of the parameter for each order. Amounts are texts, because numbers of JSON are not exact beyond 2^53. */
const INSERT_ORDERS = `
  INSERT INTO wanted_orders
    (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, price_round, key_id, middle_price)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, CAST(value ->> 4 AS INTEGER), CAST(value ->> 5 AS INTEGER),
    CAST(value ->> 6 AS INTEGER), value ->> 7, value ->> 8, CAST(value ->> 9 AS INTEGER)
  FROM json_each(?)`;
const READ_REFUSED = 'SELECT id, reason, CAST(figure AS TEXT) AS figure FROM refused_orders';
const FORGET_REFUSED = 'DELETE FROM refused_orders';

/**
 * Writes orders in one batch, in one round trip. Each is decided by itself, by what those before it left: it is filled, or
 * refused. An order's trigger moves both its amounts. Its record's id is the order's, its time the order's time. Throws
 * when the database refuses the whole batch, which is a bug; then nothing happened.
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
  const refused = new Map(notes.map(({ id, reason, figure }) => [id, { reason, figure: BigInt(figure ?? 0) }]));
  const filled = planned.filter(({ placement }) => !refused.has(placement.orderId));
  logTransfers('money_moved', filled.flatMap(listTransfers));
  return { kind: 'decided', refused };
}

/** A row of `refused_orders`. */
interface RefusalNote {
  readonly id: string;
  readonly reason: RefusedOrder['reason'];
  readonly figure: string | null;
}

function listValues({ placement: { accountId, orderId, keyId }, plan }: PlannedOrder) {
  const { coin, side, executedPrice, coinAmount, usdtAmount, priceRound, middlePrice } = plan;
  const [price, coins, usdt, middle] = [executedPrice, coinAmount, usdtAmount, middlePrice].map(String);
  return [accountId, orderId, coin, side, price, coins, usdt, priceRound, keyId, middle];
}

/** What an order moves. */
function listTransfers({ placement: { orderId, accountId }, plan }: PlannedOrder): Transfer[] {
  const [coinFrom, coinTo] = plan.side === 'BUY' ? [house.liquidity, accountId] : [accountId, house.liquidity];
  const common = { kind: 'order', reference: orderId } as const;
  const pays = { ...common, debit: coinTo, credit: coinFrom, asset: QUOTE_ASSET, amount: plan.usdtAmount } as const;
  const delivers = { ...common, debit: coinFrom, credit: coinTo, asset: plan.coin, amount: plan.coinAmount } as const;
  return [pays, delivers];
}

/** The row that a plan makes. */
export function toRow({ orderId, keyId }: Placement, plan: OrderPlan): OrderRow {
  const { coin, side, executedPrice, coinAmount, usdtAmount } = plan;
  return { id: orderId, coin, side, executedPrice, coinAmount, usdtAmount, status: 'COMPLETED', keyId };
}

/** The answer to a placed order: 201, `Location`, and the order. */
export function answerOrder(row: OrderRow): Answer {
  return answerJson(201, { order: showOrder(row) }, { Location: `/api/v1/orders/${row.id}` });
}

/** The refusal when the house's inventory would fall below its floor. */
export const houseIsFull = refuse('order_rejected', 'The house takes no more of this position at the moment.');

/** The client's refusal for each reason of the database's. One for `exists` there is not: the order is to be looked up. */
export function explainOrderRefusal(
  reason: Exclude<RefusedOrder['reason'], 'exists'>,
  figure: bigint,
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

/** The refusal when the outcome of an order is unknown for now. */
export function describeUnknownOrder(orderId: string): Refusal {
  return refuse(
    'outcome_unknown',
    'It is not known yet whether the order was placed. Repeat the request with the same Idempotency-Key, or read the order by its id.',
    { retryAfterSeconds: 1, members: { orderId } },
  );
}
