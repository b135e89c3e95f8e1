import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { headersOf } from '../http/document/headers.ts';
import { idempotencyKeyParameter } from '../http/idempotency.ts';
import { jsonBody } from '../http/json-body.ts';
import { NextCursor } from '../http/list.ts';
import { RecordPath } from '../http/wire-types.ts';
import { admit, readRefusals } from '../access/admit.ts';
import { answerList, answerRecord } from '../access/answer-read.ts';
import { authenticate, authenticateJson } from '../access/authenticate.ts';
import { executeInLane } from '../access/execute-in-lane.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { OrderListQuery, orderList } from '../orders/list-orders.ts';
import { Order, readOrder, showOrder } from '../orders/order.ts';
import { PlaceOrder } from '../orders/place-order.ts';
import { OrderPreview } from '../orders/preview-order.ts';
import { previewAtGate } from '../orders/reach-gate.ts';

const ORDERS_PATH = '/api/v1/orders';

export const trade = createArea();

trade.openapi(
  createRoute({
    operationId: 'placeOrder',
    method: 'post',
    path: ORDERS_PATH,
    tags: ['Trade'],
    summary: 'Place an order that fills at once, whole or not at all',
    description:
      'The order fills at the market’s price against the liquidity provider before the answer is sent. There is no order book and nothing to cancel. The amount that `mode` fixes is exact; the other is rounded against the client by less than its smallest step. A refused order does not exist and moves nothing. Send an `Idempotency-Key`, and repeat the request with the same key when no answer arrives.',
    security: [{ apiKey: ['trade'] }],
    middleware: authenticateJson('trade'),
    parameters: [idempotencyKeyParameter],
    request: { body: jsonBody(PlaceOrder) },
    responses: {
      201: {
        description: 'The order, filled',
        headers: headersOf('Location', 'X-Idempotency-Replay'),
        content: jsonContent(z.object({ order: Order })),
      },
      ...problemResponses(
        ...bodyRefusals,
        'invalid_idempotency_key',
        ...readRefusals,
        'account_frozen',
        'idempotency_key_reused',
        'symbol_not_supported',
        'amount_below_minimum',
        'amount_above_maximum',
        'precision_exceeded',
        'trading_halted',
        'price_unavailable',
        'price_limit_exceeded',
        'insufficient_balance',
        'order_rejected',
        'outcome_unknown',
      ),
    },
  }),
  (c) => {
    const order = c.req.valid('json');
    const post = { operation: 'placeOrder', scope: 'trade', path: ORDERS_PATH, body: order } as const;
    return executeInLane(c, post, (lane, keyed) => lane.placeOrder({ ...keyed, order }));
  },
);

trade.openapi(
  createRoute({
    operationId: 'previewOrder',
    method: 'post',
    path: `${ORDERS_PATH}/preview`,
    tags: ['Trade'],
    summary: 'What an order would fill at now',
    description:
      'Says what `POST /api/v1/orders` would fill now. It has no effect and holds no money, and the balance is not checked. A later order fills at the price of its own moment; `limitPrice` bounds that price. Counted in the *read* bucket.',
    security: [{ apiKey: ['trade'] }],
    middleware: authenticateJson('trade'),
    request: { body: jsonBody(PlaceOrder) },
    responses: {
      200: { description: 'What would fill', content: jsonContent(z.object({ preview: OrderPreview })) },
      ...problemResponses(
        ...bodyRefusals,
        ...readRefusals,
        'account_frozen',
        'symbol_not_supported',
        'amount_below_minimum',
        'amount_above_maximum',
        'precision_exceeded',
        'trading_halted',
        'price_unavailable',
        'price_limit_exceeded',
      ),
    },
  }),
  async (c) => {
    const order = c.req.valid('json');
    const admitted = await admit(c, 'trade', 'read');
    if (!admitted.ok) return sendProblem(c, admitted);
    const preview = await previewAtGate(c.env, ledgerNumberOf(admitted.value), order);
    return preview.ok ? c.json({ preview: preview.value }, 200) : sendProblem(c, preview);
  },
);

trade.openapi(
  createRoute({
    operationId: 'listOrders',
    method: 'get',
    path: ORDERS_PATH,
    tags: ['Trade'],
    summary: 'Orders, newest first',
    description:
      'The orders of the account, of all its keys, a page at a time. With filters a page may be short and still have a next one.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { query: OrderListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ orders: z.array(Order), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...readRefusals),
    },
  }),
  (c) => answerList(c, c.req.valid('query'), ORDERS_PATH, orderList),
);

trade.openapi(
  createRoute({
    operationId: 'getOrder',
    method: 'get',
    path: `${ORDERS_PATH}/{id}`,
    tags: ['Trade'],
    summary: 'One order',
    description: 'An order of the account by its id; another account’s is not found.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'The order', content: jsonContent(z.object({ order: Order })) },
      ...problemResponses('not_found', ...readRefusals),
    },
  }),
  (c) => answerRecord(c, c.req.valid('param').id, { name: 'order', readRow: readOrder, show: showOrder }),
);
