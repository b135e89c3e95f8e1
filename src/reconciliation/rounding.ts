import { QUOTE_ASSET, findCoin, scaleOf } from '../money/assets.ts';
import { PRICE_SCALE } from '../money/amounts.ts';
import type { Finding } from './invariants.ts';

/** The columns of an order from which its rounding is judged, and what it earned. */
export interface FilledOrder {
  readonly accountId: string;
  readonly id: string;
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly coinAmount: string;
  readonly usdtAmount: string;
  /** The market's middle price; `null` for an order that is older than this column. */
  readonly middle: string | null;
  /** The number of its first transfer. */
  readonly transfer: number;
}

/** SQL for the columns of a `FilledOrder`, from the row `r`. */
export const filledOrderColumns = `r.account_id AS accountId, r.id, r.coin, r.side, CAST(r.executed_price AS TEXT) AS price,
  CAST(r.coin_amount AS TEXT) AS coinAmount, CAST(r.usdt_amount AS TEXT) AS usdtAmount,
  CAST(r.middle_price AS TEXT) AS middle, r.first_transfer AS transfer`;

/**
 * Finds orders whose amounts differ from the price by an atom or more, or in the client's favour. Which of the two
 * amounts was rounded is not recorded, so a difference of less than an atom of either is accepted. Compares exactly, in
 * `bigint`: usdt * 10^(scale of the coin + 8) with coin * price * 10^(scale of USDT). Pure.
 */
export function judgeRounding(orders: readonly FilledOrder[]): Finding[] {
  return orders
    .filter((order) => !isRoundedForHouse(order))
    .map(({ id: order, accountId, coin, side, price, coinAmount, usdtAmount }) => ({
      invariant: 'rounding_favours_house',
      example: { order, accountId, coin, side, price, coinAmount, usdtAmount },
    }));
}

function isRoundedForHouse({ coin: symbol, side, price, coinAmount, usdtAmount }: FilledOrder): boolean {
  const coin = findCoin(symbol);
  if (!coin) return false;
  const usdtAtom = 10n ** BigInt(scaleOf(coin) + PRICE_SCALE);
  const coinAtom = BigInt(price) * 10n ** BigInt(scaleOf(QUOTE_ASSET));
  const excess = BigInt(usdtAmount) * usdtAtom - BigInt(coinAmount) * coinAtom;
  const gain = side === 'BUY' ? excess : -excess;
  return gain >= 0n && (gain < usdtAtom || gain < coinAtom);
}
