import { z } from '@hono/zod-openapi';
import { Amount, NewClientOrderId } from '../http/wire-types.ts';
import { upperSymbol, type Coin, QUOTE_ASSET, scaleOf, toCoin, toUsdt } from '../money/assets.ts';
import { AMOUNT_SYNTAX, type Atoms, formatAmount, parseAmount, type Price } from '../money/amounts.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';

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
    value: Amount.openapi({
      description: 'Never a JSON number; no more decimals than the asset has',
      example: '0.002',
    }),
    limitPrice: z.string().regex(AMOUNT_SYNTAX, 'is not a plain decimal string such as "65100.5"').optional().openapi({
      description:
        'The worst `executedPrice` to accept, with at most 8 decimals: the highest for a BUY, the lowest for a SELL. If the price is worse, nothing fills and the order does not wait',
      example: '65100',
    }),
    clientOrderId: NewClientOrderId,
  })
  .openapi('PlaceOrder');

export type PlaceOrder = z.output<typeof PlaceOrder>;

/** The smallest and the largest order of a symbol, in atoms of USDT. */
export interface OrderBounds {
  readonly min: Atoms;
  readonly max: Atoms;
}

/** Bounds as the configuration writes them, in USDT. */
export interface WrittenBounds {
  readonly min: string;
  readonly max: string;
}

/** The bounds of a symbol: its own if it has any, else the general ones. */
export type BoundsOf = (coin: Coin) => OrderBounds;

/** The bounds of every symbol, from the general ones and those of single symbols. */
export function boundsFrom(general: WrittenBounds, own: Readonly<Partial<Record<Coin, WrittenBounds>>>): BoundsOf {
  return (coin) => {
    const written = own[coin] ?? general;
    const [min, max] = [written.min, written.max].map((text) => parseAmount(text, scaleOf(QUOTE_ASSET)));
    if (min === undefined || max === undefined) throw new RangeError(`order bounds of ${coin} are not USDT amounts`);
    return { min, max };
  };
}

/** Refuses a notional outside the bounds (`amount_below_minimum`, `amount_above_maximum`). */
export function checkBounds(usdtAmount: Atoms, bounds: OrderBounds): Outcome<Atoms> {
  const scale = scaleOf(QUOTE_ASSET);
  if (usdtAmount < bounds.min) {
    return refuse('amount_below_minimum', `The order is below the minimum of ${formatAmount(bounds.min, scale)} USDT.`);
  }
  if (usdtAmount > bounds.max) {
    return refuse('amount_above_maximum', `The order is above the maximum of ${formatAmount(bounds.max, scale)} USDT.`);
  }
  return accept(usdtAmount);
}

export type Side = 'BUY' | 'SELL';

/** Which side of the order the client fixed: the base quantity, or the USDT notional. */
export type Mode = 'COIN_QTY' | 'USDT_AMOUNT';

export interface Fill {
  readonly coinAmount: Atoms;
  readonly usdtAmount: Atoms;
}

/**
 * The amounts of an order at a price. The amount that the client fixed is exact; the other is rounded against the
 * client by less than one atom, and may be zero. Pure.
 */
export function fill(coin: Coin, side: Side, mode: Mode, value: Atoms, price: Price): Fill {
  const isBuy = side === 'BUY';
  return mode === 'COIN_QTY'
    ? { coinAmount: value, usdtAmount: toUsdt(coin, value, price, isBuy ? 'up' : 'down') }
    : { coinAmount: toCoin(coin, value, price, isBuy ? 'down' : 'up'), usdtAmount: value };
}
