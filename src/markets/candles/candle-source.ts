import type { Coin } from '../../money/assets.ts';
import { type Interval, freshTimeOfInterval, nextStartOfInterval, shiftInterval, startOfInterval } from './interval.ts';

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

export interface CandleSeries {
  readonly taken_ms: number;
  readonly candles: MarketCandle[];
}

/** Venues still correct a candle shortly after its end. */
const SETTLING_MS = 60_000;

const CLOSED_FRESH_MS = 3_600_000;

/**
 * How long a series may be reused after it was received: an hour if all its candles had ended a minute before, else as
 * long as its running candle may be.
 */
export function freshTimeOfSeries(
  { interval, limit, startTime_ms, endTime_ms }: CandleQuestion,
  { taken_ms, candles }: CandleSeries,
): number {
  const isFull = startTime_ms !== undefined && candles.length === limit;
  const newest_ms = isFull ? candles.at(-1)?.start_ms : endTime_ms;
  if (newest_ms === undefined) return freshTimeOfInterval(interval);
  const end_ms = shiftInterval(interval, startOfInterval(interval, newest_ms), 1);
  return end_ms + SETTLING_MS <= taken_ms ? CLOSED_FRESH_MS : freshTimeOfInterval(interval);
}

/** No market is older. */
const FIRST_MS = 0;

/**
 * The same question with its times moved to starts of candles, so that all questions for the same candles share one
 * answer. A start time moves to the next start. All times before the first start mean the same; no end means the same
 * as every end from the running candle on.
 */
export function alignQuestion(question: CandleQuestion, now_ms: number): CandleQuestion {
  const { interval, startTime_ms, endTime_ms } = question;
  const running_ms = startOfInterval(interval, now_ms);
  const isOpen = endTime_ms === undefined || endTime_ms >= running_ms;
  const alignStart = (time_ms: number) =>
    Math.min(nextStartOfInterval(interval, Math.max(FIRST_MS, time_ms)), shiftInterval(interval, running_ms, 1));
  return {
    ...question,
    startTime_ms: startTime_ms === undefined ? undefined : alignStart(startTime_ms),
    endTime_ms: isOpen ? undefined : startOfInterval(interval, Math.max(FIRST_MS - 1, endTime_ms)),
  };
}
