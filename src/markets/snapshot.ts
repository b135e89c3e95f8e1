import { z } from 'zod';
import { coinSymbols } from '../money/assets.ts';

const Price = z.bigint().positive();

/** What the venues say of one market, good enough to show. */
export const ShownMarket = z
  .object({
    price: Price,
    /** A fraction: 0.0234 is +2.34 %. */
    change24h: z.number(),
    /** In the base asset, a plain decimal string. */
    volume24h: z.string(),
    /** Time of the data, not of the answer, in milliseconds. */
    dataTime_ms: z.number(),
    /** When the oldest of it was received, in milliseconds. */
    received_ms: z.number(),
    /** The names of the sources that the price was made of. */
    sources: z.array(z.string()).readonly(),
    /** Whether it is of an earlier round, because no source answered for the coin in the last one. */
    isHeld: z.boolean(),
  })
  .readonly();

export type ShownMarket = z.output<typeof ShownMarket>;

/** What several venues agree on, and when it was received; whether it is still fresh is asked where it is used. */
export const AgreedMarket = z
  .object({
    price: Price,
    /** The highest price of the agreeing group less its lowest. */
    dispersion: z.bigint().nonnegative(),
    received_ms: z.number(),
    /** The oldest time that a venue of the group gives for its own price, where one does. */
    venueTime_ms: z.number().nullable(),
  })
  .readonly();

export type AgreedMarket = z.output<typeof AgreedMarket>;

/** One market of a snapshot; `null` where there is nothing to show, or nothing that was agreed on. */
export const Market = z.object({ shown: ShownMarket.nullable(), agreed: AgreedMarket.nullable() }).readonly();

export type Market = z.output<typeof Market>;

/** Prices of the operator's own for what no source answers for. */
export const FallbackPrices = z.partialRecord(z.enum(coinSymbols), Price).readonly();

export type FallbackPrices = z.output<typeof FallbackPrices>;

/** All markets as the price hub saw them last; plain data that crosses from object to object. */
export const MarketSnapshot = z
  .object({
    /** The number of the round of questions behind it. A later round has a higher number; numbers never fall. */
    round: z.number(),
    /** When that round ended, in milliseconds. */
    taken_ms: z.number(),
    markets: z.record(z.enum(coinSymbols), Market).readonly(),
    /** What the operator would have shown of a market that shows nothing, as it was read last. */
    fallbacks: FallbackPrices,
  })
  .readonly();

export type MarketSnapshot = z.output<typeof MarketSnapshot>;
