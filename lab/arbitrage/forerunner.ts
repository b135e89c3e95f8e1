import { Draw } from '../../test/support/draw.ts';
import { FIRST_STEP, STEP_MS, type VirtualMarket } from './virtual-market.ts';

const BASIS = 10_000;

/** What an order is worth, in USDT, and how many a key places in a minute. */
const NOTIONAL = 45_000;
const ORDERS_PER_MINUTE = 30;
const MINUTE = 60_000 / STEP_MS;

/** He trades on moves that would leave him so much. The best of these counts. */
const THRESHOLDS_BPS = [1, 5, 10, 20, 40];

/** The least pause between two of his orders, in steps. */
const PAUSE = 20;

export interface Terms {
  readonly spread_bps: number;
  readonly margin_ms: number;
}

/** What orders of honest clients cost and how long they waited. */
export interface Honest {
  readonly costs_bps: readonly number[];
  readonly waits_ms: readonly number[];
  readonly refused: number;
}

/** Honest clients at random moments, by the truth at their order's admission. */
export function tradeHonestly(market: VirtualMarket, seed: number, terms: Terms): Honest {
  const draw = new Draw(seed + 77);
  const costs_bps: number[] = [];
  const waits_ms: number[] = [];
  let refused = 0;
  for (let step = FIRST_STEP; step < market.last; step += 20 + draw.below(120)) {
    const side = draw.happens(0.5) ? 1 : -1;
    const filled = fillOf(market, step, side, terms);
    if (!filled) {
      refused += 1;
      continue;
    }
    costs_bps.push(side * (filled.price / market.truthAt(step) - 1) * BASIS);
    waits_ms.push((filled.step - step) * STEP_MS);
  }
  return { costs_bps, waits_ms, refused };
}

/**
 * The most that a client gains in USDT a minute who knows the truth `lead_ms` after his order's admission. He knows every
 * quote, sends limit prices and unwinds at the middle for nothing, so it is an upper bound.
 */
export function outrun(market: VirtualMarket, lead_ms: number, terms: Terms): number {
  const lead = lead_ms / STEP_MS;
  const gains = THRESHOLDS_BPS.map((threshold_bps) =>
    trade(market, (step) => {
      const known = market.truthAt(step + lead);
      const shown = market.shownAt(step);
      const side = known > shown ? 1 : -1;
      if (side * (known / shown - 1) * BASIS <= terms.spread_bps + threshold_bps) return undefined;
      const filled = fillOf(market, step, side, terms);
      if (!filled || side * (known - filled.price) <= 0) return 0;
      return side * (market.truthAt(Math.max(filled.asOf, step + lead)) / filled.price - 1);
    }),
  );
  return Math.max(0, ...gains);
}

/**
 * The gain in USDT a minute of a client who orders on both sides all the time, with close limit prices, and wants those
 * cancelled that the truth `after_ms` their admission would not pay for. Bureau lets an admitted order run to its end.
 * With `isObeyed` it would cancel one until the very moment it fills: a control.
 */
export function orderAndCancel(market: VirtualMarket, after_ms: number, terms: Terms, isObeyed = false): number {
  const spread = terms.spread_bps / BASIS;
  return trade(market, (step) => {
    const shown = market.shownAt(step);
    const gains = [1, -1].map((side) => {
      const filled = fillOf(market, step, side, terms);
      if (!filled || side * (filled.price / shown - 1) > 2 * spread) return 0;
      const latest = isObeyed ? filled.step - 1 : Infinity;
      const asked = Math.min(step + after_ms / STEP_MS, latest);
      const known = market.truthAt(asked);
      if (isObeyed && side * (known / shown - 1) < 2 * spread) return 0;
      return side * (market.truthAt(Math.max(filled.asOf, asked)) / filled.price - 1);
    });
    return gains.reduce((sum, gain) => sum + gain, 0);
  });
}

/** Orders at each moment at which `gainAt` says what one gains, as a part of its worth. Gives USDT a minute. */
function trade(market: VirtualMarket, gainAt: (step: number) => number | undefined): number {
  let total = 0;
  const sent: number[] = [];
  for (let step = FIRST_STEP; step < market.last; step += 1) {
    const gain = gainAt(step);
    if (gain === undefined) continue;
    total += NOTIONAL * gain;
    sent.push(step);
    const free = (sent.at(-ORDERS_PER_MINUTE) ?? -Infinity) + MINUTE;
    step = Math.max(step + PAUSE, free);
  }
  return total / ((market.last - FIRST_STEP) / MINUTE);
}

/** What an order of a side (1 buys, -1 sells) fills at: the price with the spread and half of the range against it. */
function fillOf(market: VirtualMarket, step: number, side: number, { spread_bps, margin_ms }: Terms) {
  const ripe = market.ripeAfter(step, margin_ms);
  if (!ripe) return undefined;
  const price = ripe.middle + side * ((ripe.middle * spread_bps) / BASIS + ripe.dispersion / 2);
  return { price, step: ripe.step, asOf: Math.floor(ripe.tick.asOf_ms / STEP_MS) };
}
