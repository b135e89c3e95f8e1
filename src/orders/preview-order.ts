import { z } from '@hono/zod-openapi';
import { Decimal, Timestamp } from '../http/wire-types.ts';
import { QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import { formatPrice } from '../money/prices.ts';
import type { OrderPlan } from './plan-order.ts';

/** A preview of an order, as the API shows it. */
export const OrderPreview = z
  .object({
    ts: Timestamp,
    coin: z.string().openapi({ description: 'Base symbol', example: 'BTC' }),
    side: z.enum(['BUY', 'SELL']),
    executedPrice: Decimal.openapi({ description: 'In USDT, the spread included', example: '65000' }),
    coinAmount: Decimal.openapi({ description: 'What would move of the coin', example: '0.002' }),
    usdtAmount: Decimal.openapi({ description: 'What would move of USDT', example: '130' }),
  })
  .openapi('OrderPreview');

export type OrderPreview = z.output<typeof OrderPreview>;

/** Shows a plan as the preview at `now_ms`. */
export function showPreview(plan: OrderPlan, now_ms: number): OrderPreview {
  return {
    ts: new Date(now_ms).toISOString(),
    coin: plan.coin,
    side: plan.side,
    executedPrice: formatPrice(plan.executedPrice),
    coinAmount: formatAmount(plan.coinAmount, scaleOf(plan.coin)),
    usdtAmount: formatAmount(plan.usdtAmount, scaleOf(QUOTE_ASSET)),
  };
}
