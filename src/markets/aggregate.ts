import { type Price, changeFraction, meanPrice, medianPrice } from '../money/amounts.ts';
import type { AgreedMarket, ShownMarket } from './snapshot.ts';
import type { Book, SourceTicker } from './sources/price-source.ts';

/** One source's ticker of a coin, as of when it is, and when it was received. */
export interface Observation {
  readonly source: string;
  /** When it was asked for, or earlier where the source had gathered it before. */
  readonly asOf_ms: number;
  readonly received_ms: number;
  /** Whether it is of an earlier round: the source was not due in this one. */
  readonly isRepeat: boolean;
  readonly ticker: SourceTicker;
}

/** What has a price and may agree with others. */
export interface Priced {
  readonly price: Price;
}

interface Vote extends Priced {
  readonly observation: Observation;
}

/** The largest distance of prices that agree: the higher is at most `numerator / denominator` times the lower. */
interface Band {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** For a group of three or more, and for the two sides of a book. */
const BAND: Band = { numerator: 201n, denominator: 200n };

/** For a group of two. A vote within this band of each member of a group joins its price. */
const WIDE_BAND: Band = { numerator: 101n, denominator: 100n };

/** A group of this many needs the narrow band, and may accept a jump. */
const MANY = 3;

/** This many new answers make the price without the repeated ones: among four, two dishonest ones cannot win. */
const MIN_FRESH = 4;

/** How old a price may be by its venue's clock, and how far that clock may run ahead of ours. */
const MAX_VENUE_AGE_MS = 60_000;
const MAX_VENUE_LEAD_MS = 10_000;

const MIN_AGREEING = 2;

/** Against a price accepted less than a minute ago, a move of over a tenth is a jump, which needs a group of `MANY`. */
const JUMP_WINDOW_MS = 60_000;
const JUMP_DIVISOR = 10n;

/**
 * The price of a coin that its sources agree on, or `null`. A source votes with the middle of its book, or with its
 * last trade where its venue gives no book. They agree when the largest group has at least two members and is a strict
 * majority of all sources that answered, including those that do not vote. A group of three or more lies within 0.5 %,
 * one of two within 1 %. A jump from `lastAccepted` needs three members.
 *
 * The price is the median of the group and of all other votes within 1 % of each member; their whole width is the
 * dispersion. If only the group counted, two sources at the edge of the band could choose which honest ones are left
 * out. This way, with half the dispersion in the spread, two dishonest sources of four or more cannot bring a fill
 * below the lowest honest price or above the highest.
 *
 * Repeated answers vote like the others. But if at least four votes are of this round, the price is made of these
 * alone, so that it is as new as the round; otherwise it is as old as its oldest vote. `observations` has one for each
 * source.
 */
export function agreeOnPrice(
  observations: readonly Observation[],
  lastAccepted: AgreedMarket | null,
  now_ms: number,
): AgreedMarket | null {
  const agreement = agreeOnMembers(observations, now_ms);
  if (!agreement) return null;
  const { group, near, members } = agreement;
  const price = medianOf(members);
  if (!mayFollow(lastAccepted, price, group, now_ms)) return null;
  const venueTimes_ms = members.flatMap(({ observation }) => observation.ticker.venueTime_ms ?? []);
  return {
    price,
    dispersion: spreadOf(near),
    received_ms: Math.min(...members.map(({ observation }) => observation.received_ms)),
    venueTime_ms: venueTimes_ms.length === 0 ? null : Math.min(...venueTimes_ms),
  };
}

/** What the observations agree on, with `members` those of the near votes that the price is made of. */
function agreeOnMembers(observations: readonly Observation[], now_ms: number) {
  const votes = observations.flatMap((observation) => voteOf(observation, now_ms) ?? []);
  const agreement = findAgreement(votes, observations.length);
  if (!agreement) return undefined;
  const fresh = agreement.near.filter(({ observation }) => !observation.isRepeat);
  return { ...agreement, members: fresh.length >= MIN_FRESH ? fresh : agreement.near };
}

/**
 * The largest group of votes that agree, and `near` all votes near it, sorted by price; `undefined` unless it is a strict
 * majority of the `answered`.
 */
export function findAgreement<V extends Priced>(
  votes: readonly V[],
  answered: number,
): { readonly group: readonly V[]; readonly near: readonly V[] } | undefined {
  const groups = findGroups(votes);
  const group = groups.reduce((best, next) => (spreadOf(next) < spreadOf(best) ? next : best), groups[0] ?? []);
  if (group.length < MIN_AGREEING || group.length * 2 <= answered) return undefined;
  return { group, near: addNeighbours(group, votes) };
}

/** Whether a group's price may come after the last accepted one: a jump needs many members. */
export function mayFollow(
  last: Pick<AgreedMarket, 'price' | 'received_ms'> | null,
  price: Price,
  group: readonly Priced[],
  now_ms: number,
): boolean {
  if (!last || group.length >= MANY || now_ms - last.received_ms >= JUMP_WINDOW_MS) return true;
  return distance(price, last.price) * JUMP_DIVISOR <= last.price;
}

/**
 * What to show for a coin: the price that its sources agree on, even after a jump. If they do not agree, the median of
 * the largest group within 1 %, which may have one member; of equally large groups, the one nearest to `reference`, the
 * last shown price or the fallback. A source that does not vote counts only when no source votes, with its last trade
 * if its book has no usable middle. `observations` are in the configured order of their sources: the first that has a
 * volume gives it. `null` without observations.
 */
export function chooseShown(
  observations: readonly Observation[],
  reference: Price,
  now_ms: number,
): ShownMarket | null {
  const members = agreeOnMembers(observations, now_ms)?.members ?? findNearest(observations, reference, now_ms);
  if (members.length === 0) return null;
  const near = members.map(({ observation }) => observation);
  const price = medianOf(members);
  const opens = near.flatMap(({ ticker }) => ticker.open24h ?? []);
  return {
    price,
    change24h: opens.length === 0 ? 0 : changeFraction(price, medianPrice(opens)),
    volume24h: observations.find(({ ticker }) => ticker.volume24h !== null)?.ticker.volume24h ?? '0',
    dataTime_ms: Math.min(...near.map(dataTimeOf)),
    received_ms: Math.min(...near.map(({ received_ms }) => received_ms)),
    sources: observations.filter((observation) => near.includes(observation)).map(({ source }) => source),
    isHeld: false,
  };
}

function findNearest(observations: readonly Observation[], reference: Price, now_ms: number): readonly Vote[] {
  const votes = observations.flatMap((observation) => voteOf(observation, now_ms) ?? []);
  const shown = votes.length > 0 ? votes : observations.flatMap((observation) => lastResortOf(observation) ?? []);
  const distanceOf = (group: readonly Vote[]) => distance(medianOf(group), reference);
  const groups = largestGroups(shown, WIDE_BAND);
  return groups.reduce((best, next) => (distanceOf(next) < distanceOf(best) ? next : best), groups[0] ?? []);
}

/** A source's vote; `undefined` when its price is too old or its book has no usable middle. */
function voteOf(observation: Observation, now_ms: number): Vote | undefined {
  const { book, price } = observation.ticker;
  if (!isTimely(observation, now_ms)) return undefined;
  if (book === null) return { observation, price };
  const middle = middleOf(book);
  return middle === undefined ? undefined : { observation, price: middle };
}

function lastResortOf(observation: Observation): Vote | undefined {
  const { book, price } = observation.ticker;
  return price > 0n ? { observation, price: (book && middleOf(book)) ?? price } : undefined;
}

/**
 * The middle of a book, rounded half up at 8 decimals; `undefined` when it is one-sided, crossed or wider than the
 * band.
 */
export function middleOf({ bid, ask }: Book): Price | undefined {
  if (bid === null || ask === null || bid > ask || !isWithin(BAND, bid, ask)) return undefined;
  return meanPrice(bid, ask);
}

/** The groups that may agree, all of one size: the largest within the band if they have three or more, else pairs. */
function findGroups<V extends Priced>(votes: readonly V[]): (readonly V[])[] {
  const groups = largestGroups(votes, BAND);
  if ((groups[0]?.length ?? 0) >= MANY) return groups;
  const sorted = sortByPrice(votes);
  const pairs = sorted.slice(1).map((higher, index) => [sorted[index] ?? higher, higher] as const);
  return pairs.filter(([lower, higher]) => isWithin(WIDE_BAND, lower.price, higher.price));
}

/** All groups of the largest size whose highest price is within a band above the lowest, lowest prices first. */
function largestGroups<V extends Priced>(votes: readonly V[], band: Band): (readonly V[])[] {
  const sorted = sortByPrice(votes);
  const groups = sorted.map((lowest, index) =>
    sorted.slice(index).filter(({ price }) => isWithin(band, lowest.price, price)),
  );
  const size = Math.max(...groups.map((group) => group.length));
  return groups.filter((group) => group.length === size);
}

/** A group, and all other votes within the wide band of each of its members, sorted by price. */
function addNeighbours<V extends Priced>(group: readonly V[], votes: readonly V[]): readonly V[] {
  const isNear = ({ price }: V) =>
    group.every((member) =>
      price < member.price ? isWithin(WIDE_BAND, price, member.price) : isWithin(WIDE_BAND, member.price, price),
    );
  return sortByPrice(votes.filter(isNear));
}

function isWithin({ numerator, denominator }: Band, lower: Price, higher: Price): boolean {
  return higher * denominator <= lower * numerator;
}

/** Whether a price is not too old, and not too far ahead, by its venue's clock. */
export function isTimely({ ticker }: Observation, now_ms: number): boolean {
  if (ticker.price <= 0n) return false;
  if (ticker.venueTime_ms === null) return true;
  const age_ms = now_ms - ticker.venueTime_ms;
  return age_ms <= MAX_VENUE_AGE_MS && age_ms >= -MAX_VENUE_LEAD_MS;
}

/** The venue's own time of a price, if it gives one that is not in the future; else the time of receipt. */
function dataTimeOf({ ticker, received_ms }: Observation): number {
  return ticker.venueTime_ms === null ? received_ms : Math.min(ticker.venueTime_ms, received_ms);
}

export function medianOf(group: readonly Priced[]): Price {
  return medianPrice(group.map(({ price }) => price));
}

/** From the lowest to the highest price of a group that is sorted by price. */
export function spreadOf(group: readonly Priced[]): Price {
  const prices = group.map(({ price }) => price);
  return (prices.at(-1) ?? 0n) - (prices[0] ?? 0n);
}

function sortByPrice<V extends Priced>(votes: readonly V[]): readonly V[] {
  return votes.toSorted(({ price: one }, { price: other }) => (one < other ? -1 : one > other ? 1 : 0));
}

function distance(one: Price, other: Price): Price {
  return one > other ? one - other : other - one;
}
