import { config } from '../env.ts';
import { chooseBounds } from '../providers.ts';
import { readTerms } from '../orders/plan.ts';
import { idempotencyKeyParameter } from '../http/area.ts';
import { jsonBody } from '../http/request.ts';
import { RecordPath } from '../http/wire-types.ts';
import { admit, executeInLane } from '../access/admit.ts';
import { answerList, answerRecord } from '../access/answer-read.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { OrderListQuery, orderList, Order, readOrder, showOrder, OrderPreview } from '../orders/order.ts';
import { PlaceOrder } from '../orders/terms.ts';
import { previewAtGate } from '../orders/place-order.ts';
import { createKeyArea } from '../access/operations.ts';
import { accept } from '../http/answer.ts';
import { onePage } from '../http/list.ts';

const boundsOf = chooseBounds(config);

const ORDERS_PATH = '/api/v1/orders';

const planRefusals = [
  'symbol_not_supported',
  'amount_below_minimum',
  'amount_above_maximum',
  'precision_exceeded',
  'trading_halted',
  'price_unavailable',
  'price_limit_exceeded',
] as const;

export const trade = createKeyArea('Trade');

trade.add({
  operationId: 'placeOrder',
  method: 'post',
  path: ORDERS_PATH,
  scope: 'trade',
  summary: 'Place an order that fills at once, whole or not at all',
  description:
    'The order fills at the market’s price against the liquidity provider before the answer is sent; `midPrice` and `spreadBps` say what it cost. There is no order book and nothing to cancel. The amount that `mode` fixes is exact; the other is rounded against the client by less than its smallest step. A refused order does not exist and moves nothing. Send an `Idempotency-Key`, and repeat the request with the same key when no answer arrives.',
  parameters: [idempotencyKeyParameter],
  request: { body: jsonBody(PlaceOrder) },
  answer: { 201: 'The order, filled' },
  headers: ['Location', 'X-Idempotency-Replay'],
  body: { order: Order },
  refusals: [
    'invalid_idempotency_key',
    'account_frozen',
    'idempotency_key_reused',
    'client_order_id_reused',
    ...planRefusals,
    'insufficient_balance',
    'order_rejected',
    'outcome_unknown',
  ],
  handle: (c) => {
    const order = c.req.valid('json');
    const post = { operation: 'placeOrder', scope: 'trade', path: ORDERS_PATH } as const;
    return executeInLane(c, { ...post, body: order, covered: order });
  },
});

trade.add({
  operationId: 'previewOrder',
  method: 'post',
  path: `${ORDERS_PATH}/preview`,
  scope: 'trade',
  summary: 'What an order would fill at now',
  description:
    'Says what `POST /api/v1/orders` would fill now. It has no effect and holds no money, and neither the balance nor `clientOrderId` is checked. A later order fills at the price of its own moment; `limitPrice` bounds that price. Counted in the *read* bucket.',
  request: { body: jsonBody(PlaceOrder) },
  answer: 'What would fill',
  body: { preview: OrderPreview },
  refusals: ['account_frozen', ...planRefusals],
  handle: async (c) => {
    const order = c.req.valid('json');
    const admitted = await admit(c, 'trade', 'read');
    if (!admitted.ok) return admitted;
    const terms = readTerms(order, boundsOf);
    if (!terms.ok) return terms;
    const preview = await previewAtGate(c.env, ledgerNumberOf(admitted.value), terms.value);
    return preview.ok ? accept({ preview: preview.value }) : preview;
  },
});

trade.add({
  operationId: 'listOrders',
  path: ORDERS_PATH,
  scope: 'read',
  summary: 'Orders, newest first',
  description:
    'The orders of the account, of all its keys, a page at a time. With filters a page may be short and still have a next one.',
  request: { query: OrderListQuery },
  ...onePage('orders', Order),
  handle: (c) => answerList(c, c.req.valid('query'), orderList),
});

trade.add({
  operationId: 'getOrder',
  path: `${ORDERS_PATH}/{id}`,
  scope: 'read',
  summary: 'One order',
  description: 'Another account’s is not found.',
  request: { params: RecordPath },
  answer: 'The order',
  body: { order: Order },
  refusals: ['not_found'],
  handle: (c) => answerRecord(c, c.req.valid('param').id, { name: 'order', readRow: readOrder, show: showOrder }),
});
