import { z } from '@hono/zod-openapi';
import { and, eq, desc, lt, sql } from 'drizzle-orm';
import { ClientOrderId, Decimal, Id, Timestamp, symbolIn } from '../http/wire-types.ts';
import { type Database, prepareOnce } from '../db/database.ts';
import { timestampOfRecord } from '../db/record-id.ts';
import { columnsOf, orders } from '../db/schema.ts';
import { QUOTE_ASSET, scaleOf, coinSymbols } from '../money/assets.ts';
import { formatAmount, formatPrice } from '../money/amounts.ts';
import { ListQuery } from '../http/list.ts';
import { type IdRange, type RecordList, TimeSpan, isListed } from '../db/record-list.ts';
import { type OrderPlan, showCost } from './plan.ts';

/** What an order costs beside the market. */
const Cost = {
  midPrice: Decimal.optional().openapi({
    description: 'The middle of the market that it fills at, in USDT, without the spread',
    example: '64870.25',
  }),
  spreadBps: z.number().min(0).optional().openapi({
    description:
      'How far `executedPrice` is from `midPrice`, in hundredths of a percent with two decimals: the exchange’s spread, and half of the range that the agreeing venues span. There is no other fee',
    example: 20,
  }),
};

/** An order on the wire (spec, "Order"). */
export const Order = z
  .object({
    id: Id,
    ts: Timestamp,
    coin: z.string().openapi({ description: 'Base symbol', example: 'BTC' }),
    side: z.enum(['BUY', 'SELL']),
    executedPrice: Decimal.openapi({ description: 'In USDT, the spread included', example: '65000' }),
    coinAmount: Decimal.openapi({ description: 'Exactly what moved of the coin', example: '0.002' }),
    usdtAmount: Decimal.openapi({ description: 'Exactly what moved of USDT', example: '130' }),
    status: z.enum(['COMPLETED', 'FAILED']).openapi({ description: 'There is no other state' }),
    keyId: z.string().openapi({
      description: 'The API key that placed it',
      example: '01a1e03f-2b17-7000-9c2e-5f0d8a61c7b3',
    }),
    ...Cost,
    clientOrderId: ClientOrderId.optional(),
  })
  .openapi('Order');

export type Order = z.output<typeof Order>;

const columns = columnsOf(orders);

/** What is read of an order: all that is shown. */
export const orderColumns = {
  id: columns.id,
  coin: columns.coin,
  side: columns.side,
  executedPrice: columns.executedPrice,
  coinAmount: columns.coinAmount,
  usdtAmount: columns.usdtAmount,
  status: columns.status,
  keyId: columns.keyId,
  middlePrice: columns.middlePrice,
  clientOrderId: columns.clientOrderId,
};

export type OrderRow = Readonly<Pick<typeof orders.$inferSelect, keyof typeof orderColumns>>;

/** Shows an order. The time is that of its id. */
export function showOrder(row: OrderRow): Order {
  return {
    id: row.id,
    ts: timestampOfRecord(row.id),
    coin: row.coin,
    side: row.side,
    executedPrice: formatPrice(row.executedPrice),
    coinAmount: formatAmount(row.coinAmount, scaleOf(row.coin)),
    usdtAmount: formatAmount(row.usdtAmount, scaleOf(QUOTE_ASSET)),
    status: row.status,
    keyId: row.keyId,
    ...showCost(row.side, row.executedPrice, row.middlePrice),
    ...(row.clientOrderId !== null && { clientOrderId: row.clientOrderId }),
  };
}

/** One order of an account, or `undefined`. Throws when D1 fails. */
export async function readOrder(database: Database, accountId: string, orderId: string): Promise<OrderRow | undefined> {
  const [row] = await database
    .select(orderColumns)
    .from(orders)
    .where(and(eq(orders.accountId, accountId), eq(orders.id, orderId)));
  return row;
}

/** The id of an account's order with a name of the client's, or `undefined`. Throws when D1 fails. */
export async function findClientOrder(
  database: Database,
  accountId: string,
  name: string,
): Promise<string | undefined> {
  const [row] = await database
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.accountId, accountId), eq(orders.clientOrderId, name)));
  return row?.id;
}

export const OrderListQuery = ListQuery.extend({
  ...TimeSpan,
  clientOrderId: ClientOrderId.optional().openapi({ description: 'The one with this name' }),
  coin: symbolIn(coinSymbols, 'Orders of this coin, in any case').optional(),
  side: z.enum(['BUY', 'SELL']).optional().openapi({ description: 'Orders of this side', example: 'BUY' }),
  status: z
    .enum(['COMPLETED', 'FAILED'])
    .optional()
    .openapi({ description: 'Orders in this state', example: 'COMPLETED' }),
});

type OrderFilter = Omit<z.output<typeof OrderListQuery>, keyof ListQuery>;

/** A text that sorts after every id. */
const BEYOND_ALL = '~';

/** The query of a list that nothing narrows, which is the one that programs poll. */
const selectBefore = prepareOnce((database) =>
  database
    .select(orderColumns)
    .from(orders)
    .where(and(eq(orders.accountId, sql.placeholder('accountId')), lt(orders.id, sql.placeholder('before'))))
    .orderBy(desc(orders.id))
    .limit(sql.placeholder('count'))
    .prepare(),
);

/** At most `count` orders of an account that fit, newest first. Throws when D1 fails. */
function listOrders(
  database: Database,
  accountId: string,
  filter: OrderFilter,
  range: IdRange,
  count: number,
): Promise<OrderRow[]> {
  if (range.from === null && Object.values(filter).every((value) => value === undefined)) {
    return selectBefore(database).all({ accountId, before: range.before ?? BEYOND_ALL, count });
  }
  return database
    .select(orderColumns)
    .from(orders)
    .where(isListed(orders, accountId, filter, range))
    .orderBy(desc(orders.id))
    .limit(count);
}

export const orderList: RecordList<'orders', OrderRow, Order, OrderFilter> = {
  name: 'orders',
  tablesOf: () => [orders],
  listRows: listOrders,
  show: showOrder,
};

export const OrderPreview = Order.pick({ ts: true, coin: true, side: true, executedPrice: true })
  .extend({
    coinAmount: Decimal.openapi({ description: 'What would move of the coin', example: '0.002' }),
    usdtAmount: Decimal.openapi({ description: 'What would move of USDT', example: '130' }),
    ...Cost,
  })
  .openapi('OrderPreview');

export type OrderPreview = z.output<typeof OrderPreview>;

export function showPreview(plan: OrderPlan, now_ms: number): OrderPreview {
  return {
    ts: new Date(now_ms).toISOString(),
    coin: plan.coin,
    side: plan.side,
    executedPrice: formatPrice(plan.executedPrice),
    coinAmount: formatAmount(plan.coinAmount, scaleOf(plan.coin)),
    usdtAmount: formatAmount(plan.usdtAmount, scaleOf(QUOTE_ASSET)),
    ...showCost(plan.side, plan.executedPrice, plan.middlePrice),
  };
}
