import { type Coin, QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount, parseAmount } from '../money/amounts.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';

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

/** Reads the bounds of a symbol from the general ones and those of single symbols. */
export function readBounds(
  coin: Coin,
  general: WrittenBounds,
  own: Readonly<Partial<Record<Coin, WrittenBounds>>>,
): OrderBounds {
  const written = own[coin] ?? general;
  const [min, max] = [written.min, written.max].map((text) => parseAmount(text, scaleOf(QUOTE_ASSET)));
  if (min === undefined || max === undefined) throw new RangeError(`order bounds of ${coin} are not USDT amounts`);
  return { min, max };
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
