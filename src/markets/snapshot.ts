import { z } from 'zod';
import { coinSymbols } from '../money/assets.ts';

const Price = z.bigint().positive();

export const ShownMarket = z
  .object({
    price: Price,
    /** A fraction: 0.0234 is +2.34 %. */
    change24h: z.number(),
    /** In the base asset, a plain decimal string. */
    volume24h: z.string(),
    /** Time of the data, not of the answer, in milliseconds. */
    dataTime_ms: z.number(),
    /** When the oldest part of it was received, in milliseconds. */
    received_ms: z.number(),
    sources: z.array(z.string()).readonly(),
    /** Whether it comes from an earlier round because no source answered for the coin in the last one. */
    isHeld: z.boolean(),
  })
  .readonly();

export type ShownMarket = z.output<typeof ShownMarket>;

/**
 * The price that several venues agree on, and when it was received. The code that uses it checks whether it is fresh.
 */
export const AgreedMarket = z
  .object({
    price: Price,
    /** The highest price of the agreeing group less its lowest. */
    dispersion: z.bigint().nonnegative(),
    received_ms: z.number(),
    /** The oldest venue time in the group, if any venue gives one. */
    venueTime_ms: z.number().nullable(),
  })
  .readonly();

export type AgreedMarket = z.output<typeof AgreedMarket>;

/** One market of a snapshot; `null` when there is nothing to show, or no agreed price. */
export const Market = z.object({ shown: ShownMarket.nullable(), agreed: AgreedMarket.nullable() }).readonly();

export type Market = z.output<typeof Market>;

/** All markets as the price hub saw them last; plain data, since it is sent between objects. */
export const MarketSnapshot = z
  .object({
    /** When its last round ended that anybody answered, in milliseconds. */
    taken_ms: z.number(),
    markets: z.record(z.enum(coinSymbols), Market).readonly(),
    /** The operator's fallback prices, as they were last read. */
    fallbacks: z.partialRecord(z.enum(coinSymbols), Price).readonly(),
  })
  .readonly();

export type MarketSnapshot = z.output<typeof MarketSnapshot>;
