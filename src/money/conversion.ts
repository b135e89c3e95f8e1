import { type Coin, QUOTE_ASSET, scaleOf } from './assets.ts';
import { type Atoms, divideDown, divideUp, PRICE_SCALE, type Price } from './amounts.ts';

/** Whether an amount is rounded up or down to a whole atom. */
export type Rounding = 'down' | 'up';

const divide = { down: divideDown, up: divideUp } as const;

// usdt / 10^usdtScale = coin / 10^coinScale * price / 10^PRICE_SCALE, kept in whole numbers.
const usdtUnit = 10n ** BigInt(scaleOf(QUOTE_ASSET));

function coinUnit(coin: Coin): bigint {
  return 10n ** BigInt(scaleOf(coin) + PRICE_SCALE);
}

/** What an amount of a coin is worth in USDT at a price. */
export function toUsdt(coin: Coin, coinAmount: Atoms, price: Price, rounding: Rounding): Atoms {
  return divide[rounding](coinAmount * price * usdtUnit, coinUnit(coin));
}

/** What amount of a coin an amount of USDT is worth at a price. */
export function toCoin(coin: Coin, usdtAmount: Atoms, price: Price, rounding: Rounding): Atoms {
  return divide[rounding](usdtAmount * coinUnit(coin), price * usdtUnit);
}
