import { type CoinTerms, usdtAtoms } from '../db/coin-terms.ts';
import type { Coin } from '../money/assets.ts';
import type { BoundsOf, OrderBounds } from './terms.ts';

/** The operator's settings of the spread: the exchange's, if there is one, and the terms of single coins. */
export interface SpreadSettings {
  readonly spreadBps: number | null;
  readonly coinTerms: CoinTerms;
}

export interface TradingContext {
  /** The spread if the operator has set none, in hundredths of a percent. */
  readonly spread_bps: number;
  /** The least spread of every fill, whatever the settings say. */
  readonly minSpread_bps: number;
  readonly boundsOf: BoundsOf;
}

/** The spread of a coin in force, in hundredths of a percent. Pure. */
export function spreadInForce(
  coin: Coin,
  { spreadBps, coinTerms }: SpreadSettings,
  { spread_bps, minSpread_bps }: Pick<TradingContext, 'spread_bps' | 'minSpread_bps'>,
): number {
  return Math.max(coinTerms[coin]?.spreadBps ?? spreadBps ?? spread_bps, minSpread_bps);
}

/** The bounds of a coin's orders in force: the configuration's, and within them the operator's largest. Pure. */
export function boundsInForce(
  coin: Coin,
  { coinTerms }: Pick<SpreadSettings, 'coinTerms'>,
  boundsOf: BoundsOf,
): OrderBounds {
  const { min, max } = boundsOf(coin);
  const { maxNotional } = coinTerms[coin] ?? {};
  const own = maxNotional === undefined ? max : usdtAtoms(maxNotional);
  return { min, max: own < max ? own : max };
}
