import { type Coin, assets } from '../money/assets.ts';
import { type Price, parsePrice } from '../money/amounts.ts';

/**
 * The static price shown for a coin when there is no other: four fifths of the market's at its date, so that nobody
 * counts on more than the coin is worth. It is never a `FirmPrice`, so no order fills at it.
 */
export function fallbackPrice(coin: Coin): Price {
  const price = parsePrice(assets[coin].marketPrice);
  if (price === undefined) throw new TypeError(`the market price of ${coin} is no price`);
  return (price * 4n) / 5n;
}
