import type { Coin } from '../money/assets.ts';
import { type Price, formatPrice, parsePrice } from '../money/amounts.ts';
import {
  type Observation,
  type Priced,
  findAgreement,
  isTimely,
  mayFollow,
  medianOf,
  middleOf,
  spreadOf,
} from './aggregate.ts';
import type { AgreedMarket } from './snapshot.ts';

/** A venue's book of one coin as it was last heard, of its stream or of a poll. All times are by Bureau's own clock. */
export interface Vote {
  readonly venue: string;
  /** As the venue writes it; `null` on a side without orders. */
  readonly bid: string | null;
  readonly ask: string | null;
  /** As of when a message of this very book is. */
  readonly own_ms: number;
  /** As of when the newest message of its socket is, of whatever coin; never before `own_ms`. */
  readonly vouched_ms: number;
}

declare const ripe: unique symbol;

/** A price that an order may fill at. Only `agreeOnRipePrice` makes one. */
export interface Tick {
  readonly [ripe]: true;
  readonly coin: Coin;
  readonly price: Price;
  /** The highest price of all venues near the price minus the lowest. */
  readonly dispersion: Price;
  /** As of when the oldest of the votes is that the price is made of; never before the moment that was asked for. */
  readonly asOf_ms: number;
  /** How many votes it is made of: `MANY_VOTES` or more, or one less where fewer venues are alive. */
  readonly votes: number;
}

/** A price that orders may fill at, and its number, by which an older one is known: as of a time by the asker's clock. */
export type OrderPrice = Tick & { readonly round: number };

export interface RipeQuestion {
  readonly coin: Coin;
  /** The price must be as of this moment or a later one. */
  readonly asOf_ms: number;
  readonly now_ms: number;
  /** How many venues are alive that carry the coin, heard or asked. A socket that was just lost counts: it may come back. */
  readonly alive: number;
  readonly lastAccepted: Pick<AgreedMarket, 'price' | 'received_ms'> | null;
}

/** Among four votes two dishonest ones cannot win; among three they can. */
export const MANY_VOTES = 4;

/** A venue that nothing was heard of for longer has no vote. */
const MAX_SILENCE_MS = 2_000;

/** In hundredths of a percent. Votes that span more have moved, and one that has not may be frozen. */
const MAX_QUIET_SPAN_BPS = 5n;
const BASIS = 10_000n;

/**
 * The price that the venues agree on as of `asOf_ms` or later; `undefined` while too few votes are fresh, and when they
 * do not agree. `votes` has at most one of each venue.
 *
 * Votes agree as those of a round do (see `agreeOnPrice`), the older ones too, but the price is the median of the fresh
 * ones alone. A vote is fresh when its socket has spoken as of that moment: messages of a socket are in order, so its other
 * books had not changed. Where the votes span more than 5 bps, only the books with a message of their own are fresh, so
 * that a coin that is frozen at a talking venue does not vote. Four fresh ones are needed, and only where fewer venues are
 * alive three.
 */
export function agreeOnRipePrice(votes: readonly Vote[], question: RipeQuestion): Tick | undefined {
  const { coin, asOf_ms, now_ms, alive, lastAccepted } = question;
  const heard = votes.filter(({ vouched_ms }) => vouched_ms <= now_ms && now_ms - vouched_ms <= MAX_SILENCE_MS);
  const agreement = findAgreement(heard.flatMap(priceVote), heard.length);
  if (!agreement) return undefined;
  const { group, near } = agreement;
  const dispersion = spreadOf(near);
  const hasMoved = dispersion * BASIS > (near[0]?.price ?? 0n) * MAX_QUIET_SPAN_BPS;
  const times_ms = ({ vote }: PricedVote) => (hasMoved ? vote.own_ms : vote.vouched_ms);
  const fresh = near.filter((one) => times_ms(one) >= asOf_ms);
  const needed = Math.max(alive, heard.length) < MANY_VOTES ? MANY_VOTES - 1 : MANY_VOTES;
  if (fresh.length < needed) return undefined;
  const price = medianOf(fresh);
  if (!mayFollow(lastAccepted, price, group, now_ms)) return undefined;
  return { coin, price, dispersion, asOf_ms: Math.min(...fresh.map(times_ms)), votes: fresh.length } as Tick;
}

/** An answer as a vote, as of when it was asked for. One that is too old by its venue's clock has no price. Pure. */
export function voteOf(observation: Observation, now_ms: number): Vote {
  const { source, asOf_ms, ticker } = observation;
  const last = isTimely(observation, now_ms) ? ticker.price : null;
  const { bid, ask } = (last !== null && ticker.book) || { bid: last, ask: last };
  return {
    venue: source,
    bid: bid === null ? null : formatPrice(bid),
    ask: ask === null ? null : formatPrice(ask),
    own_ms: asOf_ms,
    vouched_ms: asOf_ms,
  };
}

interface PricedVote extends Priced {
  readonly vote: Vote;
}

/** The vote with the middle of its book; none where the book has no usable one. */
function priceVote(vote: Vote): PricedVote[] {
  const { bid, ask } = vote;
  const book = { bid: (bid !== null && parsePrice(bid)) || null, ask: (ask !== null && parsePrice(ask)) || null };
  const price = middleOf(book);
  return price === undefined ? [] : [{ vote, price }];
}
