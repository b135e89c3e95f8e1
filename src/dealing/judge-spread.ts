import { usdtAtoms } from '../db/coin-terms.ts';
import { type Coin, showUsdt } from '../money/assets.ts';
import { type SpreadSettings, type TradingContext, boundsInForce, spreadInForce } from '../orders/in-force.ts';

/** Of a venue's own book: half of its spread, in hundredths of a percent, and how many USDT move it by one more. */
const VENUE_HALF_SPREAD_BPS = 1;
const DEPTH_USDT = 20_000;

/** How far from the middle a hedge of so many USDT is assumed to be filled, in hundredths of a percent. Pure. */
export function assumeImpact(usdt: number): number {
  return VENUE_HALF_SPREAD_BPS + usdt / DEPTH_USDT;
}

/**
 * Finds the hedged coins whose spread is below what a hedge of the largest order costs, each as a part of a sentence with
 * the figures. Somebody who alternates the largest orders makes the house hedge each of them. He cannot where none is
 * above `outer`; with several ledgers he can, since he buys in one and sells in another. A client pays the spread on each
 * side of the middle, as the house pays the fee on each hedge, so the two compare as they are. Pure.
 */
export function findThinSpreads(settings: SpreadSettings, trading: TradingContext, ledgers: number): string[] {
  return Object.entries(settings.coinTerms).flatMap(([name, { hedging }]) => {
    if (!hedging) return [];
    const coin = name as Coin;
    const largest = boundsInForce(coin, settings, trading.boundsOf).max;
    const outer = usdtAtoms(hedging.outer);
    if (ledgers === 1 && largest <= outer) return [];
    const hedged = Math.min(Number(showUsdt(largest)), Number(hedging.maxHedge));
    const impact = Math.min(assumeImpact(hedged), hedging.limitBps);
    const spread = spreadInForce(coin, settings, trading);
    if (spread >= hedging.feeBps + impact) return [];
    const cost = `${showBps(hedging.feeBps + impact)} bps (fee ${hedging.feeBps}, impact ${showBps(impact)})`;
    const why = ledgers === 1 ? `above outer, ${showUsdt(outer)}` : `in ${ledgers} ledgers`;
    const bound = ledgers === 1 ? ', or a maxNotional of at most outer' : '';
    return `the spread of ${coin} is ${spread} bps, and to hedge an order of ${showUsdt(largest)} USDT, ${why}, costs ${cost}: set a spread of at least ${Math.ceil(hedging.feeBps + impact)}${bound}`;
  });
}

const showBps = (bps: number) => String(Math.round(bps * 100) / 100);
