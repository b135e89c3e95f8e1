import { config } from '../env.ts';
import type { Coin } from '../money/assets.ts';
import { type OrderBounds, boundsOf } from './order-bounds.ts';

/** The smallest and the largest order of a symbol, as this Worker is configured. */
export function configuredBounds(coin: Coin): OrderBounds {
  return boundsOf(coin, { min: config.ORDER_MIN_USDT, max: config.ORDER_MAX_USDT }, config.ORDER_BOUNDS);
}
