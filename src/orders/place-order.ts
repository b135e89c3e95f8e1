import { z } from '@hono/zod-openapi';
import { upperSymbol } from '../money/assets.ts';
import { AMOUNT_SYNTAX } from '../money/amounts.ts';

/** The longest symbol that is looked up. */
const MAX_SYMBOL_LENGTH = 32;

/** The body of POST /api/v1/orders, and of POST /api/v1/orders/preview. */
export const PlaceOrder = z
  .strictObject({
    coin: z
      .string()
      .min(1)
      .max(MAX_SYMBOL_LENGTH)
      .transform(upperSymbol)
      .openapi({ description: 'Base symbol, in any case; the order is against USDT', example: 'BTC' }),
    side: z.enum(['BUY', 'SELL']),
    mode: z
      .enum(['COIN_QTY', 'USDT_AMOUNT'])
      .openapi({ description: 'What `value` is: a quantity of the coin, or USDT' }),
    value: z
      .string()
      .regex(AMOUNT_SYNTAX, 'is not a plain decimal string such as "0.015"')
      .openapi({ description: 'Never a JSON number; no more decimals than the asset has', example: '0.002' }),
    limitPrice: z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string such as "65100.5"').optional().openapi({
      description:
        'The worst `executedPrice` to accept, with at most 8 decimals: the highest for a BUY, the lowest for a SELL. If the price is worse, nothing fills and the order does not wait',
      example: '65100',
    }),
  })
  .openapi('PlaceOrder');

export type PlaceOrder = z.output<typeof PlaceOrder>;
