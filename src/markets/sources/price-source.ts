import type { Coin } from '../../money/assets.ts';
import type { Price } from '../../money/amounts.ts';

/** The best bid and ask of a venue; `null` on a side without orders. */
export interface Book {
  readonly bid: Price | null;
  readonly ask: Price | null;
}

/** One venue's ticker of one coin's USDT market. */
export interface SourceTicker {
  readonly coin: Coin;
  /** The price of the last trade. */
  readonly price: Price;
  /** `null` if the venue's tickers have none. */
  readonly book: Book | null;
  /** The price 24 hours ago, rolling; `null` where the venue gives none (the open of a calendar day is not it). */
  readonly open24h: Price | null;
  /** Over the last 24 hours, in the base asset, a plain decimal string; `null` where the venue gives none. */
  readonly volume24h: string | null;
  /** The venue's own time of the price; `null` where it gives none. */
  readonly venueTime_ms: number | null;
}

export interface PriceSource {
  readonly name: string;
  /** The least time between two requests; 0 if the venue allows far more than Bureau sends. */
  readonly leastInterval_ms: number;
  /** Where it is no venue but a market in memory: what it says now; `undefined` where it says nothing. */
  readonly readTicker?: (coin: Coin, now_ms: number) => SourceTicker | undefined;
  /** Whether it answers with what it gathered before it was asked, at the time that its tickers name. */
  readonly isGathered?: boolean;
  /**
   * At most one ticker for each coin that the venue has; a row that is not valid is left out. Rejects with a
   * `SourceError` when the answer as a whole is not valid, and when `signal` aborts.
   */
  fetchTickers(signal: AbortSignal, now_ms: number): Promise<SourceTicker[]>;
}
