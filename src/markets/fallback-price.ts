import { type Coin, assets } from '../money/assets.ts';
import { type Price, parsePrice } from '../money/prices.ts';

/** The static price shown for a coin when there is no other. It is never a `FirmPrice`, so no order fills at it. */
export function fallbackPrice(coin: Coin): Price {
  const price = parsePrice(assets[coin].fallbackPrice);
  if (price === undefined) throw new TypeError(`the fallback price of ${coin} is no price`);
  return price;
}
