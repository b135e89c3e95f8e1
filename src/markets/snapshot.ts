import type { Coin } from '../money/assets.ts';
import type { Price } from '../money/prices.ts';

/** What the venues say of one market, good enough to show. */
export interface ShownMarket {
  readonly price: Price;
  /** A fraction: 0.0234 is +2.34 %. */
  readonly change24h: number;
  /** In the base asset, a plain decimal string. */
  readonly volume24h: string;
  /** Time of the data, not of the answer, in milliseconds. */
  readonly dataTime_ms: number;
}

/** What several venues agree on, and when it was received; whether it is still fresh is asked where it is used. */
export interface AgreedMarket {
  readonly price: Price;
  readonly received_ms: number;
  /** The oldest time that a venue of the group gives for its own price, where one does. */
  readonly venueTime_ms: number | null;
}

/** One market of a snapshot; `null` where there is nothing to show, or nothing that was agreed on. */
export interface Market {
  readonly shown: ShownMarket | null;
  readonly agreed: AgreedMarket | null;
}

/** All markets as the price hub saw them last; plain data that crosses from object to object. */
export interface MarketSnapshot {
  /** When the round of questions behind it ended, in milliseconds. */
  readonly taken_ms: number;
  readonly markets: Readonly<Record<Coin, Market>>;
}
