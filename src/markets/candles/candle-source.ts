import type { Coin } from '../../money/assets.ts';
import type { Interval } from './interval.ts';

/** What happened in one interval. Prices are in USDT, the volume in the base asset; all plain decimal strings. */
export interface MarketCandle {
  readonly start_ms: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/**
 * Which candles: those that start within `startTime_ms` and `endTime_ms`, both included and both optional. If there are
 * more than `limit`: with `startTime_ms` the oldest, else the newest.
 */
export interface CandleQuestion {
  readonly coin: Coin;
  readonly interval: Interval;
  /** 1 to `MAX_CANDLES`. */
  readonly limit: number;
  readonly startTime_ms?: number | undefined;
  readonly endTime_ms?: number | undefined;
}

/** Whether it asks for another period than the newest. There are endlessly many such questions, so few are shared. */
export function isAboutPast({ startTime_ms, endTime_ms }: CandleQuestion): boolean {
  return startTime_ms !== undefined || endTime_ms !== undefined;
}

export const MAX_CANDLES = 1000;

export interface CandleSource {
  readonly name: string;
  /** The most requests that it gets in any minute: a small part of its own limit. */
  readonly requestsPerMinute: number;
  /** The most requests for one question. */
  countRequests(question: CandleQuestion): number;
  /**
   * The candles asked for, as `normaliseCandles` leaves them; the last may still be running. Rejects with a
   * `SourceError` when the venue refuses or its answer cannot be trusted, and when `signal` aborts.
   */
  fetchCandles(question: CandleQuestion, signal: AbortSignal, now_ms: number): Promise<MarketCandle[]>;
}
