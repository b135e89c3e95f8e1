import { type Price, changeFraction, meanPrice, medianPrice } from '../money/prices.ts';
import type { AgreedMarket, ShownMarket } from './snapshot.ts';
import type { Book, SourceTicker } from './sources/price-source.ts';

/** One source's ticker of a coin, and when it was received. */
export interface Observation {
  readonly source: string;
  readonly received_ms: number;
  /** Whether it is of an earlier round: the source was not due in this one. */
  readonly isRepeat: boolean;
  readonly ticker: SourceTicker;
}

/** An observation, and what it says the coin is worth. */
interface Vote {
  readonly observation: Observation;
  readonly price: Price;
}

/** How far prices may lie apart that agree: the higher is at most `numerator / denominator` of the lower. */
interface Band {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Of a group of three or more, and of the two sides of a book. */
const BAND: Band = { numerator: 201n, denominator: 200n };

/** Of a group of two; and whose price lies so near to all of a group has a say in its price. */
const WIDE_BAND: Band = { numerator: 101n, denominator: 100n };

/** From so many on, a group has its own band, and jumps are believed. */
const MANY = 3;

/** So many answers of the round itself make the price alone: of four, two cannot be outvoted by the other two. */
const MIN_FRESH = 4;

/** How old a price may be by its venue's clock, and how far that clock may run ahead of ours. */
const MAX_VENUE_AGE_MS = 60_000;
const MAX_VENUE_LEAD_MS = 10_000;

const MIN_AGREEING = 2;

/** Against a price accepted less than a minute ago, a move of over a tenth is a jump: it takes many to believe it. */
const JUMP_WINDOW_MS = 60_000;
const JUMP_DIVISOR = 10n;

/**
 * The price of a coin that its sources agree on, or `null`. A source votes with the middle of its book, or with its last
 * trade where its venue gives no book. They agree when the largest group has at least two members and is a strict
 * majority of all sources that answered, those that do not vote included. A group of three or more lies within 0.5 %, one
 * of two within 1 %. A jump from `lastAccepted` needs three members.
 *
 * The price is the median of the group and of all other votes within 1 % of each member; their whole width is the
 * dispersion. Otherwise two sources at the edge of the band could choose which honest ones are left out. As it is, with
 * half the dispersion on top, two dishonest sources of four or more sell nobody anything below the lowest honest price.
 *
 * Repeats vote like the others. But the price is made of this round's votes alone where there are at least four, so that
 * it is as new as the round; otherwise it is as old as its oldest vote. `observations` holds one of each source.
 */
export function agreeOnPrice(
  observations: readonly Observation[],
  lastAccepted: AgreedMarket | null,
  now_ms: number,
): AgreedMarket | null {
  const agreement = findAgreement(observations, now_ms);
  if (!agreement) return null;
  const { near, members } = agreement;
  const price = medianOf(members);
  const isJump =
    lastAccepted !== null &&
    now_ms - lastAccepted.received_ms < JUMP_WINDOW_MS &&
    distance(price, lastAccepted.price) * JUMP_DIVISOR > lastAccepted.price;
  if (isJump && agreement.group.length < MANY) return null;
  const venueTimes_ms = members.flatMap(({ observation }) => observation.ticker.venueTime_ms ?? []);
  return {
    price,
    dispersion: spreadOf(near),
    received_ms: Math.min(...members.map(({ observation }) => observation.received_ms)),
    venueTime_ms: venueTimes_ms.length === 0 ? null : Math.min(...venueTimes_ms),
  };
}

/** Who agrees. */
interface Agreement {
  readonly group: readonly Vote[];
  /** The group and all votes near it. */
  readonly near: readonly Vote[];
  /** Those of them that the price is made of. */
  readonly members: readonly Vote[];
}

function findAgreement(observations: readonly Observation[], now_ms: number): Agreement | null {
  const votes = observations.flatMap((observation) => voteOf(observation, now_ms) ?? []);
  const group = findGroups(votes).reduce(
    (best: readonly Vote[], next) => (best.length === 0 || spreadOf(next) < spreadOf(best) ? next : best),
    [],
  );
  if (group.length < MIN_AGREEING || group.length * 2 <= observations.length) return null;
  const near = addNeighbours(group, votes);
  const fresh = near.filter(({ observation }) => !observation.isRepeat);
  return { group, near, members: fresh.length >= MIN_FRESH ? fresh : near };
}

/**
 * What to show of a coin: what its sources agree on, however far that jumped. Where they do not agree, it is the median
 * of the largest group within 1 %, one member being enough; of equally large groups the one nearest to `reference`, the
 * price shown last or else the fallback. A source that does not vote counts only when there is no other, with its last
 * trade where its book says nothing. `observations` stand in the configured order of their sources: the first with a
 * volume gives it. `null` without observations.
 */
export function chooseShown(
  observations: readonly Observation[],
  reference: Price,
  now_ms: number,
): ShownMarket | null {
  const members = findAgreement(observations, now_ms)?.members ?? findNearest(observations, reference, now_ms);
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
  return largestGroups(shown, WIDE_BAND).reduce(
    (best: readonly Vote[], next) => (best.length === 0 || distanceOf(next) < distanceOf(best) ? next : best),
    [],
  );
}

/** What a source says; `undefined` where it has no vote, its price being untimely or its book none to go by. */
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

/** The middle of a book, half up at 8 decimals; `undefined` where it is one-sided, crossed or wider than the band. */
function middleOf({ bid, ask }: Book): Price | undefined {
  if (bid === null || ask === null || bid > ask || !isWithin(BAND, bid, ask)) return undefined;
  return meanPrice(bid, ask);
}

/** The groups that may agree, all of one size: the largest within the band, where these have three or more, else pairs. */
function findGroups(votes: readonly Vote[]): (readonly Vote[])[] {
  const groups = largestGroups(votes, BAND);
  if ((groups[0]?.length ?? 0) >= MANY) return groups;
  const sorted = sortByPrice(votes);
  const pairs = sorted.slice(1).map((higher, index) => [sorted[index] ?? higher, higher] as const);
  return pairs.filter(([lower, higher]) => isWithin(WIDE_BAND, lower.price, higher.price));
}

/** All groups of the largest size whose highest price is within a band above the lowest, lowest prices first. */
function largestGroups(votes: readonly Vote[], band: Band): (readonly Vote[])[] {
  const sorted = sortByPrice(votes);
  const groups = sorted.map((lowest, index) =>
    sorted.slice(index).filter(({ price }) => isWithin(band, lowest.price, price)),
  );
  const size = Math.max(...groups.map((group) => group.length));
  return groups.filter((group) => group.length === size);
}

/** A group, and all other votes within the wide band of each of its members, sorted by price. */
function addNeighbours(group: readonly Vote[], votes: readonly Vote[]): readonly Vote[] {
  const isNear = ({ price }: Vote) =>
    group.every((member) =>
      price < member.price ? isWithin(WIDE_BAND, price, member.price) : isWithin(WIDE_BAND, member.price, price),
    );
  return sortByPrice(votes.filter(isNear));
}

function isWithin({ numerator, denominator }: Band, lower: Price, higher: Price): boolean {
  return higher * denominator <= lower * numerator;
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

function medianOf(group: readonly Vote[]): Price {
  return medianPrice(group.map(({ price }) => price));
}

/** From the lowest to the highest price of a group that is sorted by price. */
function spreadOf(group: readonly Vote[]): Price {
  const prices = group.map(({ price }) => price);
  return (prices.at(-1) ?? 0n) - (prices[0] ?? 0n);
}

function sortByPrice(votes: readonly Vote[]): readonly Vote[] {
  return votes.toSorted(({ price: one }, { price: other }) => (one < other ? -1 : one > other ? 1 : 0));
}

function distance(one: Price, other: Price): Price {
  return one > other ? one - other : other - one;
}
