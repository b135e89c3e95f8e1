import type { Coin } from '../money/assets.ts';
import type { Price } from '../money/amounts.ts';
import type { MarketSnapshot } from './snapshot.ts';

declare const firm: unique symbol;

/**
 * A price that an order or a limit may use. Only `firmPrice` makes one, from what venues agreed on and while it is
 * fresh: a fallback, a stale or a disputed price cannot become one.
 */
export interface FirmPrice {
  readonly [firm]: true;
  readonly coin: Coin;
  readonly price: Price;
  /** The highest price of the agreeing sources minus the lowest. */
  readonly dispersion: Price;
}

/** How long ago an agreed price may have been received when an order fills at it. */
export const FILL_MAX_AGE_MS = 2_000;

/** How long an order waits for its price. */
export const LONGEST_WAIT_MS = 2_000;

/** How long ago it may be when it only values something, such as a withdrawal for its limit. */
export const VALUE_MAX_AGE_MS = 5_000;

/** How far the price hub's clock may be ahead of ours. A time further ahead was recorded before a clock went back. */
export const MAX_RECEIVED_LEAD_MS = 1_000;

/** How old it may be by the venues' own clocks, if they give a time. */
export const MAX_VENUE_AGE_MS = 60_000;

/** The firm price of a coin at `now_ms`; `undefined` without one that was received within `VALUE_MAX_AGE_MS`. */
export function firmPrice(snapshot: MarketSnapshot, coin: Coin, now_ms: number): FirmPrice | undefined {
  const { agreed } = snapshot.markets[coin];
  if (!agreed) return undefined;
  const age_ms = now_ms - agreed.received_ms;
  if (age_ms > VALUE_MAX_AGE_MS || age_ms < -MAX_RECEIVED_LEAD_MS) return undefined;
  if (agreed.venueTime_ms !== null && now_ms - agreed.venueTime_ms > MAX_VENUE_AGE_MS) return undefined;
  return { coin, price: agreed.price, dispersion: agreed.dispersion } as FirmPrice;
}
