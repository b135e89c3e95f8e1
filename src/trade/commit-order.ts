import { sql } from 'drizzle-orm';
import { type Answer, answerJson } from '../http/answer.ts';
import { type Refusal, refuse } from '../http/refusal.ts';
import { accountFrozen } from '../keys/admission.ts';
import { keyRefusals } from '../keys/key-refusals.ts';
import { explainAll } from '../ledger/explain.ts';
import { type CommitOutcome, commit } from '../ledger/commit.ts';
import type { Database } from '../ledger/database.ts';
import { bindPrepared, prepareOnce } from '../ledger/prepare-once.ts';
import { orders } from '../ledger/schema.ts';
import { type Transfer, house, nextTransfer } from '../ledger/transfers.ts';
import { QUOTE_ASSET } from '../money/assets.ts';
import { type OrderRow, showOrder } from './order.ts';
import { type OrderPlan, tradingHalted } from './plan-order.ts';

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
 * Writes orders in one batch, all of them or none; each one's trigger moves both its amounts. A record's id is the
 * order's, its time the order's time. When the database refuses an order, the outcome names it.
 */
export function commitOrders(database: Database, planned: readonly PlannedOrder[]): Promise<CommitOutcome> {
  const [first, ...rest] = planned.map(({ placement, plan }) => {
    const { priceRound, middlePrice } = plan;
    const row = { accountId: placement.accountId, ...toRow(placement, plan), priceRound, middlePrice };
    return bindPrepared(insertOrder(database), row);
  });
  if (!first) throw new RangeError('a batch has at least one order');
  return commit(database, [first, ...rest], planned.flatMap(listTransfers));
}

/** What an order moves. */
function listTransfers({ placement: { orderId, accountId }, plan }: PlannedOrder): Transfer[] {
  const [coinFrom, coinTo] = plan.side === 'BUY' ? [house.liquidity, accountId] : [accountId, house.liquidity];
  const common = { kind: 'order', reference: orderId } as const;
  const pays = { ...common, debit: coinTo, credit: coinFrom, asset: QUOTE_ASSET, amount: plan.usdtAmount } as const;
  const delivers = { ...common, debit: coinFrom, credit: coinTo, asset: plan.coin, amount: plan.coinAmount } as const;
  return [pays, delivers];
}

const insertOrder = prepareOnce((database) =>
  database
    .insert(orders)
    .values({
      accountId: sql.placeholder('accountId'),
      id: sql.placeholder('id'),
      coin: sql.placeholder('coin'),
      side: sql.placeholder('side'),
      executedPrice: sql.placeholder('executedPrice'),
      coinAmount: sql.placeholder('coinAmount'),
      usdtAmount: sql.placeholder('usdtAmount'),
      status: sql.placeholder('status'),
      priceRound: sql.placeholder('priceRound'),
      keyId: sql.placeholder('keyId'),
      firstTransfer: nextTransfer(),
      middlePrice: sql.placeholder('middlePrice'),
    })
    .prepare(),
);

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

/** The client's refusal for each reason of the database's. */
export function explainOrderRefusal(
  refusal: Extract<CommitOutcome, { kind: 'floor' | 'guarded' }>,
  accountId: string,
): Refusal {
  if (refusal.kind === 'floor') {
    return refusal.account === accountId
      ? refuse('insufficient_balance', `The balance of ${refusal.asset} is too small for this order.`)
      : houseIsFull;
  }
  return explainAll(refusal, { ...keyRefusals, account_frozen: accountFrozen, trading_halted: tradingHalted });
}

/** The refusal when the outcome of an order is unknown for now. */
export function describeUnknownOrder(orderId: string): Refusal {
  return refuse(
    'outcome_unknown',
    'It is not known yet whether the order was placed. Repeat the request with the same Idempotency-Key, or read the order by its id.',
    { retryAfterSeconds: 1, members: { orderId } },
  );
}
