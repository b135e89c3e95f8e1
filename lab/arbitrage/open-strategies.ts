import { type BucketLimits, defaultLimits } from '../../src/keys/rights.ts';
import type { Coin } from '../../src/money/assets.ts';
import type { Arena } from './arena.ts';
import { Dust } from './dust.ts';
import { Holder, UNLIMITED } from './holder.ts';
import { SeesAhead } from './sees-ahead.ts';
import type { Strategy } from './strategy.ts';
import { ThinBooks } from './thin-books.ts';
import { TwoKeys } from './two-keys.ts';
import { TwoLedgers } from './two-ledgers.ts';

/** The smallest moves that the clients who see or hear moves trade on; one client each. */
const SIGHTED_FROM_BPS = [20, 40, 60, 100];

/** The coins whose books are pushed. Six, four and three venues list them. */
const BOOK_COINS: readonly Coin[] = ['ETH', 'MATIC', 'LTC'];

export interface StrategyOptions {
  readonly seed: number;
  readonly dustPerStep: number;
  /** How many orders each key may place, except dust's. Default: the default limits. */
  readonly trades?: BucketLimits;
}

/** Opens every strategy with accounts of its own. */
export async function openStrategies(
  arena: Arena,
  { seed, dustPerStep, trades = defaultLimits.trade }: StrategyOptions,
): Promise<readonly Strategy[]> {
  const open = (coin: Coin, keys = 1, limits = trades) =>
    Holder.open(arena.operator, { assets: [coin], keys, trades: limits });
  const sighted: Strategy[] = [];
  for (const from_bps of SIGHTED_FROM_BPS) {
    for (const lead of [0, 1] as const) sighted.push(new SeesAhead(await open('BTC'), { lead, from_bps }));
  }
  const books: Strategy[] = [];
  for (const coin of BOOK_COINS) {
    const venues = arena.venuesOf(coin);
    // Against an attacker who controls more than half of a coin's books nothing is promised: the majority makes the
    // price.
    const mustNotGain = venues.length > 3;
    books.push(new ThinBooks(await open(coin), arena.market, { coin, venues, mustNotGain }));
  }
  const twoKeys = new TwoKeys(await open('BTC', 2), arena.spread_bps);
  const inTwoLedgers = await Holder.open(arena.operator, {
    assets: ['BTC'],
    keys: 1,
    ledgers: [0, 1],
    reads: UNLIMITED,
    trades,
  });
  const twoLedgers = new TwoLedgers(inTwoLedgers, arena.spread_bps);
  const dust = new Dust(await open('BTC', 1, UNLIMITED), seed, dustPerStep);
  return [twoKeys, twoLedgers, ...books, dust, ...sighted];
}
