import type { Coin } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';
import { toCoin, toUsdt } from '../money/conversion.ts';
import type { Price } from '../money/prices.ts';

export type Side = 'BUY' | 'SELL';

/** Which side of the order the client fixed: the base quantity, or the USDT notional. */
export type Mode = 'COIN_QTY' | 'USDT_AMOUNT';

/** The amounts that move. */
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
