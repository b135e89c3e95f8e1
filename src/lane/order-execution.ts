import { config } from '../env.ts';
import { describeError, logFault } from '../http/log.ts';
import type { Database } from '../ledger/database.ts';
import type { LiquidityProvider } from '../trade/liquidity/liquidity-provider.ts';
import { configuredBounds } from '../trade/configured-bounds.ts';
import { readOrder } from '../trade/order.ts';
import {
  type OrderPlan,
  type PlaceOrder,
  type TradingDesk,
  answerOrder,
  answerPlan,
  commitOrder,
  describeUnknownOrder,
  explainOrderRefusal,
  planOrder,
} from '../trade/place-order.ts';
import type { Execution, Recollection } from './execute-once.ts';
import type { HeldConditions } from './trading-conditions.ts';

/** What the executions of a lane share. */
export interface OrderSurroundings {
  readonly database: Database;
  readonly accountId: string;
  readonly liquidity: LiquidityProvider;
  readonly conditions: HeldConditions;
}

/** The steps of one order, for `executeOnce`. */
export function executeOrder(order: PlaceOrder, around: OrderSurroundings): Execution<OrderPlan> {
  const { database, accountId, liquidity, conditions } = around;
  const desk: TradingDesk = {
    liquidity,
    spread_bps: config.SPREAD_BPS,
    boundsOf: configuredBounds,
    readConditions: (coin) => conditions.read(coin, Date.now()),
    now: () => Date.now(),
  };
  return {
    plan: () => planOrder(order, desk),
    commit: (orderId, plan) => commitOrder(database, accountId, orderId, plan),
    answer: answerPlan,
    recall: (orderId) => recallOrder(database, accountId, orderId),
    explain: (refusal) => explainOrderRefusal(refusal, accountId),
    describeUnknown: describeUnknownOrder,
  };
}

/** The answer to an order, built from its row in D1. */
export async function recallOrder(database: Database, accountId: string, orderId: string): Promise<Recollection> {
  try {
    const row = await readOrder(database, accountId, orderId);
    return row ? { kind: 'found', answer: answerOrder(row) } : { kind: 'absent' };
  } catch (error) {
    logFault('order_unreadable', { orderId, error: describeError(error) });
    return { kind: 'unknown' };
  }
}
