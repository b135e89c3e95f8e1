import { z } from '@hono/zod-openapi';
import { and, eq } from 'drizzle-orm';
import { Decimal, Id, Timestamp } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { timestampOfRecord } from '../db/record-id.ts';
import { exactly, orders } from '../db/schema.ts';
import { type Coin, QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import { type Price, formatPrice } from '../money/prices.ts';
import type { Side } from './fill.ts';

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
      example: '01a1fcca-895a-734c-b43c-11f474a4f8d5',
    }),
  })
  .openapi('Order');

export type Order = z.output<typeof Order>;

/** A row of `orders`. */
export interface OrderRow {
  readonly id: string;
  readonly coin: Coin;
  readonly side: Side;
  readonly executedPrice: Price;
  readonly coinAmount: Atoms;
  readonly usdtAmount: Atoms;
  readonly status: 'COMPLETED' | 'FAILED';
  readonly keyId: string;
}

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
  };
}

/** The columns of an order's row. */
export const orderColumns = {
  id: orders.id,
  coin: orders.coin,
  side: orders.side,
  executedPrice: exactly(orders.executedPrice),
  coinAmount: exactly(orders.coinAmount),
  usdtAmount: exactly(orders.usdtAmount),
  status: orders.status,
  keyId: orders.keyId,
};

/** One order of an account, or `undefined`. Throws when D1 fails. */
export async function readOrder(database: Database, accountId: string, id: string): Promise<OrderRow | undefined> {
  const [row] = await database
    .select(orderColumns)
    .from(orders)
    .where(and(eq(orders.accountId, accountId), eq(orders.id, id)));
  return row;
}
