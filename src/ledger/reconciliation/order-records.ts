import { QUOTE_ASSET, findCoin, scaleOf } from '../../money/assets.ts';
import { PRICE_SCALE } from '../../money/prices.ts';
import type { Finding } from './invariants.ts';
import type { RecordKind } from './record-kind.ts';

/** Orders: two transfers each, coin against USDT with the house; one that failed has none. */
export const orderRecords: RecordKind = {
  name: 'orders',
  title: 'order',
  kind: 'order',
  legs: [
    {
      number: 'r.first_transfer',
      debit: 'r.account_id',
      credit: `'house:liquidity'`,
      asset: `iif(r.side = 'BUY', 'USDT', r.coin)`,
      amount: `iif(r.side = 'BUY', r.usdt_amount, r.coin_amount)`,
      sign: '-1',
    },
    {
      number: 'r.first_transfer + 1',
      debit: `'house:liquidity'`,
      credit: 'r.account_id',
      asset: `iif(r.side = 'BUY', r.coin, 'USDT')`,
      amount: `iif(r.side = 'BUY', r.coin_amount, r.usdt_amount)`,
      sign: '1',
    },
  ],
  odd: `(r.status = 'COMPLETED') IS NOT (r.first_transfer IS NOT NULL)`,
  found: `r.account_id = iif(t.debit = 'house:liquidity', t.credit, t.debit) AND r.id = t.reference`,
  shown: ['status'],
  claims: [
    {
      invariant: 'rounding_favours_house',
      about: `r.status = 'COMPLETED'`,
      // To within an atom of both sides and a billionth. Exactly is judged once, of each new order, in `judgeRounding`.
      broken: `NOT EXISTS (
        SELECT 1 FROM assets
        WHERE asset = r.coin
          AND abs(r.usdt_amount - 1.0 * r.coin_amount * r.executed_price / (100.0 * unit))
            <= 1.0 + r.executed_price / (100.0 * unit) + r.usdt_amount * 1e-9)`,
    },
  ],
};

/** What the rounding of an order is judged by. */
export interface FilledOrder {
  readonly accountId: string;
  readonly id: string;
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly coinAmount: string;
  readonly usdtAmount: string;
}

/** The columns of a `FilledOrder`, of the row `r`. */
export const filledOrderColumns = `r.account_id AS accountId, r.id, r.coin, r.side, CAST(r.executed_price AS TEXT) AS price,
  CAST(r.coin_amount AS TEXT) AS coinAmount, CAST(r.usdt_amount AS TEXT) AS usdtAmount`;

/**
 * Whether each order kept its price to within an atom of the side that was rounded, and against the client. Which side
 * that was is not recorded, so either will do. In whole numbers of any size: usdt * 10^(scale of the coin + 8) against
 * coin * price * 10^(scale of USDT). Pure.
 */
export function judgeRounding(orders: readonly FilledOrder[]): Finding[] {
  return orders
    .filter((order) => !isRoundedForHouse(order))
    .map(({ id: order, ...terms }) => ({ invariant: 'rounding_favours_house', example: { order, ...terms } }));
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
