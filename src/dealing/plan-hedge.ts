import { QUOTE_ASSET, type Coin, scaleOf, toCoin, toUsdt } from '../money/assets.ts';
import { type Atoms, PRICE_SCALE, type Price, divideDown, divideUp, floorAmount } from '../money/amounts.ts';
import { type HedgingTerms, usdtAtoms } from '../db/coin-terms.ts';
import type { VenueReport } from './contract.ts';

const BASIS = 10_000n;

/** A ledger's part of what the operator has set for the exchange. */
export interface Part {
  readonly share: Atoms;
  readonly whole: Atoms;
}

export function partOf(amount: Atoms, { share, whole }: Part): Atoms {
  return whole === 0n ? 0n : (amount * share) / whole;
}

/** What a hedge of one coin is planned by. */
export interface HedgeFacts {
  readonly coin: Coin;
  /** What the house has of the coin beyond its capital, in atoms; below zero it is short. */
  readonly position: Atoms;
  /** The market's middle price. */
  readonly middle: Price;
  readonly terms: HedgingTerms;
  readonly part: Part;
  /** Since when the position has been beyond `inner`, in milliseconds. */
  readonly since_ms: number | undefined;
  readonly now_ms: number;
  /** The venue's rules for the coin. */
  readonly market: VenueReport['markets'][number];
  /** What this ledger has there, in atoms. */
  readonly atVenue: { readonly coin: Atoms; readonly usdt: Atoms };
  /** In atoms of USDT, how much may still be hedged today; `null`: no bound. */
  readonly volumeLeft: Atoms | null;
}

/** An order for the venue, and what is set aside for it. */
export interface HedgePlan {
  readonly coin: Coin;
  readonly side: 'BUY' | 'SELL';
  readonly coinAmount: Atoms;
  readonly limitPrice: Price;
  readonly middlePrice: Price;
  readonly setAside: Atoms;
}

/** Why none is planned; `quiet` where none is needed. */
export type NoHedge = 'quiet' | 'closed' | 'too_small' | 'venue_has_too_little' | 'daily_volume_used';

/** The value of a position beyond `inner`, whatever its sign, in atoms of USDT. Pure. */
export function valueBeyond({ coin, position, middle, terms, part }: Omit<HedgeFacts, 'market' | 'atVenue'>) {
  const value = toUsdt(coin, position < 0n ? -position : position, middle, 'down');
  return { value, excess: value - partOf(usdtAtoms(terms.inner), part) };
}

/**
 * Plans the hedge of a coin: none within `inner`; beyond `outer`, or beyond `inner` for longer than `maxAgeSeconds`, back
 * to `inner`, at most `maxHedge` at once. Its amount and limit are whole steps of the venue. Pure.
 */
export function planHedge(facts: HedgeFacts): HedgePlan | NoHedge {
  const { coin, position, middle, terms, part, since_ms, now_ms, market, atVenue, volumeLeft } = facts;
  const { value, excess } = valueBeyond(facts);
  const isOld = since_ms !== undefined && now_ms - since_ms >= terms.maxAgeSeconds * 1_000;
  if (excess <= 0n || (value <= partOf(usdtAtoms(terms.outer), part) && !isOld)) return 'quiet';
  if (!market.isOpen) return 'closed';
  const most = usdtAtoms(terms.maxHedge);
  const wanted = excess < most ? excess : most;
  if (volumeLeft !== null && wanted > volumeLeft) return 'daily_volume_used';
  const side = position < 0n ? 'BUY' : 'SELL';
  const step = stepOf(market.amountStep, scaleOf(coin));
  const coinAmount = floorTo(toCoin(coin, wanted, middle, 'down'), step);
  const limitPrice = limitOf(side, middle, terms.limitBps, stepOf(market.priceStep, PRICE_SCALE));
  if (coinAmount === 0n || limitPrice <= 0n) return 'too_small';
  const least = toUsdt(coin, coinAmount, limitPrice, 'down');
  if (coinAmount < stepOf(market.minAmount, scaleOf(coin)) || least < stepOf(market.minCost, scaleOf(QUOTE_ASSET)))
    return 'too_small';
  const cost = toUsdt(coin, coinAmount, limitPrice, 'up');
  const setAside = side === 'SELL' ? coinAmount : divideUp(cost * (BASIS + 2n * BigInt(terms.feeBps)), BASIS) + 1n;
  if (setAside > (side === 'SELL' ? atVenue.coin : atVenue.usdt)) return 'venue_has_too_little';
  return { coin, side, coinAmount, limitPrice, middlePrice: middle, setAside };
}

/** The worst price: on the safe side of `limitBps`, in whole steps. */
function limitOf(side: 'BUY' | 'SELL', middle: Price, limitBps: number, step: Price): Price {
  const away = BigInt(limitBps);
  return side === 'BUY'
    ? floorTo(divideDown(middle * (BASIS + away), BASIS), step)
    : divideUp(divideUp(middle * (BASIS - away), BASIS), step) * step;
}

function floorTo(amount: bigint, step: bigint): bigint {
  return amount - (amount % step);
}

/** A step or a smallest amount of a venue in atoms: at least one. */
function stepOf(text: string, scale: number): bigint {
  const atoms = ceilAmount(text, scale);
  return atoms > 0n ? atoms : 1n;
}

/** A decimal of a venue in atoms, rounded up. */
export function ceilAmount(text: string, scale: number): Atoms {
  const [, fraction = ''] = text.split('.');
  return floorAmount(text, scale) + (/[1-9]/.test(fraction.slice(scale)) ? 1n : 0n);
}
