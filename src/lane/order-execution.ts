import { describeError, logFault } from '../platform/log.ts';
import type { Database } from '../ledger/database.ts';
import { type Placement, answerOrder, describeUnknownOrder } from '../trade/commit-order.ts';
import { configuredBounds } from '../trade/configured-bounds.ts';
import { type OrderRow, readOrder } from '../trade/order.ts';
import type { PlaceOrder } from '../trade/place-order.ts';
import { type OrderTerms, readTerms } from '../trade/plan-order.ts';
import { type GateNamespace, fillAtGate } from '../trade/reach-gate.ts';
import type { Execution, LookUp } from './execute-once.ts';

/** How long after the lane handed it over an order may still be taken up. */
const TAKE_UP_MS = 5_000;

/** What the execution of an order needs from its lane. */
export interface OrderExecutionContext extends Omit<Placement, 'orderId'> {
  readonly database: Database;
  readonly gates: GateNamespace;
}

/** The steps of one order, for `executeOnce`: prices are the gate's, and so is the batch. */
export function executeOrder(order: PlaceOrder, context: OrderExecutionContext): Execution<OrderTerms, OrderRow> {
  const { database, accountId, keyId, gates } = context;
  return {
    plan: async () => readTerms(order, configuredBounds),
    commit: (orderId) => fillAtGate(gates, { orderId, accountId, keyId, order, deadline_ms: Date.now() + TAKE_UP_MS }),
    lookUp: (orderId) => lookUpOrder(database, accountId, orderId),
    answer: answerOrder,
    describeUnknown: describeUnknownOrder,
  };
}

/** An order as its row in D1 has it. */
export async function lookUpOrder(database: Database, accountId: string, orderId: string): Promise<LookUp<OrderRow>> {
  try {
    const row = await readOrder(database, accountId, orderId);
    return row ? { kind: 'found', row } : { kind: 'absent' };
  } catch (error) {
    logFault('order_unreadable', { orderId, error: describeError(error) });
    return { kind: 'unknown' };
  }
}
