import { z } from 'zod';
import { type Coin, coinSymbols } from '../money/assets.ts';
import { type Observation, agreeOnPrice, chooseShown } from './aggregate.ts';
import { fallbackPrice } from './fallback-price.ts';
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

/** The memory of a hub that has asked nobody yet. */
export const emptyMemory: HubMemory = {
  snapshot: {
    taken_ms: 0,
    markets: forEachCoin(() => ({ shown: null, agreed: null })),
    fallbacks: {},
  },
  accepted: forEachCoin(() => null),
};

/**
 * The memory after a round that ended at `now_ms` with these observations, one for each source and coin, in the
 * configured order of the sources. A coin that nobody answered for has no agreed price; what was shown stays, with its
 * own time, marked as held. A round without any answer leaves `taken_ms` as it was.
 */
export function recordRound(memory: HubMemory, observations: readonly Observation[], now_ms: number): HubMemory {
  const markets = forEachCoin((coin): Market => {
    const last = memory.snapshot.markets[coin].shown;
    const own = observations.filter(({ ticker }) => ticker.coin === coin);
    return {
      shown: chooseShown(own, last?.price ?? fallbackPrice(coin), now_ms) ?? (last && { ...last, isHeld: true }),
      agreed: agreeOnPrice(own, memory.accepted[coin], now_ms),
    };
  });
  const taken = observations.length === 0 ? {} : { taken_ms: now_ms };
  return {
    snapshot: { ...memory.snapshot, ...taken, markets },
    accepted: forEachCoin((coin) => markets[coin].agreed ?? memory.accepted[coin]),
  };
}

function forEachCoin<T>(make: (coin: Coin) => T): Record<Coin, T> {
  return Object.fromEntries(coinSymbols.map((coin) => [coin, make(coin)])) as Record<Coin, T>;
}
