import { z } from '@hono/zod-openapi';
import { and, desc, eq, lt, sql } from 'drizzle-orm';
import { ListQuery } from '../http/list.ts';
import type { Database } from '../db/database.ts';
import { prepareOnce } from '../db/prepare-once.ts';
import { type IdRange, type RecordList, TimeSpan, isWithin } from '../db/record-list.ts';
import { orders } from '../db/schema.ts';
import { type Coin, coinSymbols, upperSymbol } from '../money/assets.ts';
import { type Order, type OrderRow, orderColumns, showOrder } from './order.ts';

/** The query of a list of orders. */
export const OrderListQuery = ListQuery.extend({
  ...TimeSpan,
  coin: z
    .string()
    .transform(upperSymbol)
    .pipe(z.enum(coinSymbols as [Coin, ...Coin[]]))
    .optional()
    .openapi({
      type: 'string',
      enum: [...coinSymbols],
      description: 'Orders of this coin, in any case',
      example: 'BTC',
    }),
  side: z.enum(['BUY', 'SELL']).optional().openapi({ description: 'Orders of this side', example: 'BUY' }),
  status: z
    .enum(['COMPLETED', 'FAILED'])
    .optional()
    .openapi({ description: 'Orders in this state', example: 'COMPLETED' }),
});

type OrderFilter = Omit<z.output<typeof OrderListQuery>, keyof ListQuery>;

const ofAccount = eq(orders.accountId, sql.placeholder('accountId'));

const selectNewest = prepareOnce((database) =>
  database
    .select(orderColumns)
    .from(orders)
    .where(ofAccount)
    .orderBy(desc(orders.id))
    .limit(sql.placeholder('count'))
    .prepare(),
);

const selectBefore = prepareOnce((database) =>
  database
    .select(orderColumns)
    .from(orders)
    .where(and(ofAccount, lt(orders.id, sql.placeholder('before'))))
    .orderBy(desc(orders.id))
    .limit(sql.placeholder('count'))
    .prepare(),
);

/** At most `count` orders of an account that fit, newest first. Throws when D1 fails. */
function listOrders(
  database: Database,
  accountId: string,
  { coin, side, status }: OrderFilter,
  range: IdRange,
  count: number,
): Promise<OrderRow[]> {
  if (range.from === null && coin === undefined && side === undefined && status === undefined) {
    return range.before === null
      ? selectNewest(database).all({ accountId, count })
      : selectBefore(database).all({ accountId, before: range.before, count });
  }
  return database
    .select(orderColumns)
    .from(orders)
    .where(
      and(
        eq(orders.accountId, accountId),
        isWithin(orders.id, range),
        coin && eq(orders.coin, coin),
        side && eq(orders.side, side),
        status && eq(orders.status, status),
      ),
    )
    .orderBy(desc(orders.id))
    .limit(count);
}

/** An account's orders. */
export const orderList: RecordList<'orders', OrderRow, Order, OrderFilter> = {
  name: 'orders',
  tablesOf: () => [orders],
  listRows: listOrders,
  show: showOrder,
};
