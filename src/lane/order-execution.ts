import { describeError, logFault } from '../platform/log.ts';
import { type Database, ledgerOf } from '../db/database.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { answerOrder, describeUnknownOrder } from '../orders/batches.ts';
import { type OrderRow, readOrder } from '../orders/order.ts';
import type { PlaceOrder } from '../orders/terms.ts';
import { type OrderTerms, type TradingContext, readTerms } from '../orders/plan.ts';
import { type GateBindings, type Placement, fillAtGate } from '../orders/reach-gate.ts';
import type { Execution, LookUp } from './once.ts';

/** How long after the lane's call the gate may begin with an order. */
const TAKE_UP_MS = 5_000;

/** What the execution of an order needs from its lane. */
export interface OrderExecutionContext extends Omit<Placement, 'orderId'> {
  readonly bindings: GateBindings & LedgerBindings;
  readonly boundsOf: TradingContext['boundsOf'];
}

/** The steps of one order for `executeOnce`. The gate has the prices and sends the batch. */
export function executeOrder(order: PlaceOrder, context: OrderExecutionContext): Execution<OrderTerms, OrderRow> {
  const { bindings, accountId, keyId, boundsOf } = context;
  return {
    plan: async () => readTerms(order, boundsOf),
    commit: (orderId) =>
      fillAtGate(bindings, { orderId, accountId, keyId, order, deadline_ms: Date.now() + TAKE_UP_MS }),
    lookUp: (orderId) => lookUpOrder(ledgerOf(bindings, orderId), accountId, orderId),
    answer: answerOrder,
    describeUnknown: describeUnknownOrder,
  };
}

/** Looks an order up in D1. */
export async function lookUpOrder(database: Database, accountId: string, orderId: string): Promise<LookUp<OrderRow>> {
  try {
    const row = await readOrder(database, accountId, orderId);
    return row ? { kind: 'found', row } : { kind: 'absent' };
  } catch (error) {
    logFault('order_unreadable', { orderId, error: describeError(error) });
    return { kind: 'unknown' };
  }
}
