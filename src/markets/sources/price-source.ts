import type { Coin } from '../../money/assets.ts';
import type { Price } from '../../money/prices.ts';

/** The best orders that wait at a venue; `null` on a side without any. */
export interface Book {
  readonly bid: Price | null;
  readonly ask: Price | null;
}

/** What one venue says of one coin's USDT market. */
export interface SourceTicker {
  readonly coin: Coin;
  /** The price of the last trade. */
  readonly price: Price;
  /** `null` where the venue gives none with its tickers. */
  readonly book: Book | null;
  /** The price 24 hours ago, rolling; `null` where the venue gives none (the open of a calendar day is not it). */
  readonly open24h: Price | null;
  /** Of the rolling 24 hours, in the base asset, a plain decimal string; `null` where the venue gives none. */
  readonly volume24h: string | null;
  /** The venue's own time of the price; `null` where it gives none. */
  readonly venueTime_ms: number | null;
}

/** A venue that is asked for prices. */
export interface PriceSource {
  readonly name: string;
  /** How long from one question to the next at least; 0 where the venue allows many more than Bureau has. */
  readonly leastInterval_ms: number;
  /**
   * At most one ticker for each coin: those that the venue has and that make sense; a row that does not is left out.
   * Rejects with a `SourceError` when the answer as a whole is not one, and when `signal` aborts.
   */
  fetchTickers(signal: AbortSignal, now_ms: number): Promise<SourceTicker[]>;
}
