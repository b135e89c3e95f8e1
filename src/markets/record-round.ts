import { z } from 'zod';
import { type Coin, coinSymbols } from '../money/assets.ts';
import { type Observation, agreeOnPrice, chooseShown } from './aggregate.ts';
import { fallbackPrice } from './fallback-price.ts';
import { type RoundWindow, windowAfter } from './round-window.ts';
import { AgreedMarket, type Market, MarketSnapshot } from './snapshot.ts';

/** All that the price hub remembers about prices. It is plain data, stored so that an eviction loses nothing. */
export const HubMemory = z
  .object({
    snapshot: MarketSnapshot,
    /** The last price of each coin that was agreed on, however long ago. */
    accepted: z.record(z.enum(coinSymbols), AgreedMarket.nullable()).readonly(),
  })
  .readonly();

export type HubMemory = z.output<typeof HubMemory>;

/** What every new round comes behind, whatever the memory says. */
export interface LeastRound {
  readonly round: number;
  readonly from_ms: number;
}

/** The memory of a hub that has asked nobody yet. */
export const emptyMemory: HubMemory = {
  snapshot: {
    round: 0,
    taken_ms: 0,
    window: { from_ms: 0, until_ms: 0 },
    markets: forEachCoin(() => ({ shown: null, agreed: null })),
    fallbacks: {},
  },
  accepted: forEachCoin(() => null),
};

/**
 * The memory after a round that ended at `now_ms` with these observations, one for each source and coin, in the
 * configured order of the sources. A coin that nobody answered for has no agreed price; what was shown stays, with its
 * own time, marked as held. A round without any answer leaves `taken_ms`, the round's number and its window as
 * they were. A number is at least the round's time, and at least `least.round`, and its window begins no sooner than
 * `least.from_ms`, so that a hub which lost its memory continues behind its earlier rounds.
 */
export function recordRound(
  memory: HubMemory,
  observations: readonly Observation[],
  now_ms: number,
  least: LeastRound = { round: 0, from_ms: 0 },
): HubMemory {
  const markets = forEachCoin((coin): Market => {
    const last = memory.snapshot.markets[coin].shown;
    const own = observations.filter(({ ticker }) => ticker.coin === coin);
    return {
      shown: chooseShown(own, last?.price ?? fallbackPrice(coin), now_ms) ?? (last && { ...last, isHeld: true }),
      agreed: agreeOnPrice(own, memory.accepted[coin], now_ms),
    };
  });
  const { round, taken_ms, window } = memory.snapshot;
  return {
    snapshot: {
      ...(observations.length === 0
        ? { round, taken_ms, window }
        : {
            round: Math.max(round + 1, now_ms, least.round),
            taken_ms: now_ms,
            window: windowAfter(latestOf(window, least), now_ms),
          }),
      markets,
      fallbacks: memory.snapshot.fallbacks,
    },
    accepted: forEachCoin((coin) => markets[coin].agreed ?? memory.accepted[coin]),
  };
}

function latestOf(window: RoundWindow, least: LeastRound): RoundWindow {
  return { from_ms: window.from_ms, until_ms: Math.max(window.until_ms, least.from_ms) };
}

function forEachCoin<T>(make: (coin: Coin) => T): Record<Coin, T> {
  return Object.fromEntries(coinSymbols.map((coin) => [coin, make(coin)])) as Record<Coin, T>;
}
