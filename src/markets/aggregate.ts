import { type Price, changeFraction, medianPrice } from '../money/prices.ts';
import type { AgreedMarket, ShownMarket } from './snapshot.ts';
import type { SourceTicker } from './sources/price-source.ts';

/** One source's ticker of a coin, and when it was received. */
export interface Observation {
  readonly source: string;
  readonly received_ms: number;
  readonly ticker: SourceTicker;
}

/** Members of a group differ by at most this: the highest is no more than 101/100 of the lowest. */
const BAND = { numerator: 101n, denominator: 100n };

/** How old a price may be by its venue's clock, and how far that clock may run ahead of ours. */
const MAX_VENUE_AGE_MS = 60_000;
const MAX_VENUE_LEAD_MS = 10_000;

const MIN_AGREEING = 2;

/** Against a price accepted less than a minute ago, a move of over a tenth is a jump: it takes three to believe it. */
const JUMP_WINDOW_MS = 60_000;
const JUMP_DIVISOR = 10n;
const MIN_AGREEING_ON_JUMP = 3;

/**
 * The price of a coin that its sources agree on, or `null`. They agree when the largest group within 1 % has at least
 * two members and is a strict majority of all sources that answered, those with an untimely price included; the price
 * is the group's median. A jump from `lastAccepted` needs three members. `observations` holds one of each source.
 */
export function agreeOnPrice(
  observations: readonly Observation[],
  lastAccepted: AgreedMarket | null,
  now_ms: number,
): AgreedMarket | null {
  const group = largestGroups(observations.filter((observation) => isTimely(observation, now_ms))).reduce(
    (best: readonly Observation[], next) => (best.length === 0 || spreadOf(next) < spreadOf(best) ? next : best),
    [],
  );
  if (group.length < MIN_AGREEING || group.length * 2 <= observations.length) return null;
  const price = medianOf(group);
  const isJump =
    lastAccepted !== null &&
    now_ms - lastAccepted.received_ms < JUMP_WINDOW_MS &&
    distance(price, lastAccepted.price) * JUMP_DIVISOR > lastAccepted.price;
  if (isJump && group.length < MIN_AGREEING_ON_JUMP) return null;
  const venueTimes_ms = group.flatMap(({ ticker }) => ticker.venueTime_ms ?? []);
  return {
    price,
    dispersion: spreadOf(group),
    received_ms: Math.min(...group.map(({ received_ms }) => received_ms)),
    venueTime_ms: venueTimes_ms.length === 0 ? null : Math.min(...venueTimes_ms),
  };
}

/**
 * What to show of a coin, by a softer rule: the median of the largest group within 1 %, one member being enough. Of
 * equally large groups it is the one nearest to `reference`, the price shown last or else the fallback. Untimely
 * prices count only when there is no other. `observations` stand in the configured order of their sources: the first
 * with a volume gives it. `null` without observations.
 */
export function chooseShown(
  observations: readonly Observation[],
  reference: Price,
  now_ms: number,
): ShownMarket | null {
  const positive = observations.filter(({ ticker }) => ticker.price > 0n);
  const timely = positive.filter((observation) => isTimely(observation, now_ms));
  const groups = largestGroups(timely.length > 0 ? timely : positive);
  const [first, ...others] = groups;
  if (!first) return null;
  const distanceOf = (group: readonly Observation[]) => distance(medianOf(group), reference);
  const group = others.reduce((best, next) => (distanceOf(next) < distanceOf(best) ? next : best), first);
  const price = medianOf(group);
  const opens = group.flatMap(({ ticker }) => ticker.open24h ?? []);
  return {
    price,
    change24h: opens.length === 0 ? 0 : changeFraction(price, medianPrice(opens)),
    volume24h: observations.find(({ ticker }) => ticker.volume24h !== null)?.ticker.volume24h ?? '0',
    dataTime_ms: Math.min(...group.map(dataTimeOf)),
    received_ms: Math.min(...group.map(({ received_ms }) => received_ms)),
    sources: observations.filter((observation) => group.includes(observation)).map(({ source }) => source),
  };
}

/** All groups of the largest size whose highest price is within the band above the lowest, lowest prices first. */
function largestGroups(observations: readonly Observation[]): (readonly Observation[])[] {
  const sorted = observations.toSorted((one, other) => comparePrices(one.ticker.price, other.ticker.price));
  const groups = sorted.map((lowest, index) => {
    const limit = lowest.ticker.price * BAND.numerator;
    return sorted.slice(index).filter(({ ticker }) => ticker.price * BAND.denominator <= limit);
  });
  const size = Math.max(...groups.map((group) => group.length));
  return groups.filter((group) => group.length === size);
}

function isTimely({ ticker }: Observation, now_ms: number): boolean {
  if (ticker.price <= 0n) return false;
  if (ticker.venueTime_ms === null) return true;
  const age_ms = now_ms - ticker.venueTime_ms;
  return age_ms <= MAX_VENUE_AGE_MS && age_ms >= -MAX_VENUE_LEAD_MS;
}

/** The time of a price by its venue, where it gives one that has come already. */
function dataTimeOf({ ticker, received_ms }: Observation): number {
  return ticker.venueTime_ms === null ? received_ms : Math.min(ticker.venueTime_ms, received_ms);
}

function medianOf(group: readonly Observation[]): Price {
  return medianPrice(group.map(({ ticker }) => ticker.price));
}

/** From the lowest to the highest price of a group that is sorted by price. */
function spreadOf(group: readonly Observation[]): Price {
  const prices = group.map(({ ticker }) => ticker.price);
  return (prices.at(-1) ?? 0n) - (prices[0] ?? 0n);
}

function comparePrices(one: Price, other: Price): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function distance(one: Price, other: Price): Price {
  return one > other ? one - other : other - one;
}
