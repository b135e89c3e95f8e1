import type { CandleQuestion } from './candle-source.ts';
import { type Interval, nextStartOfInterval, shiftInterval, startOfInterval } from './interval.ts';

/** The starts of the first and the last candle of a range, both included. */
export interface CandleWindow {
  readonly first_ms: number;
  readonly last_ms: number;
}

/**
 * The range of at most `limit` intervals that a question means, for venues that need a range: from its start on, else
 * up to its end or the running candle. It has fewer candles if the venue has gaps. `undefined` when it cannot have any.
 * It begins in 1970 at the earliest, since venues refuse earlier times.
 */
export function windowOf(question: CandleQuestion, now_ms: number): CandleWindow | undefined {
  const { interval, limit, startTime_ms, endTime_ms = now_ms } = question;
  const newest_ms = startOfInterval(interval, Math.min(endTime_ms, now_ms));
  const from_ms = Math.max(0, startTime_ms ?? shiftInterval(interval, newest_ms, 1 - limit));
  const first_ms = nextStartOfInterval(interval, from_ms);
  const last_ms = Math.min(newest_ms, shiftInterval(interval, first_ms, limit - 1));
  return first_ms <= last_ms ? { first_ms, last_ms } : undefined;
}

/** The days of the weeks in a range, up to today. */
export function daysOfWeeks({ first_ms, last_ms }: CandleWindow, now_ms: number): CandleWindow {
  const lastDay_ms = shiftInterval('1d', shiftInterval('1w', last_ms, 1), -1);
  return { first_ms, last_ms: Math.min(lastDay_ms, startOfInterval('1d', now_ms)) };
}

/** A range in parts of at most `size` candles, oldest first. */
export function splitWindow(interval: Interval, { first_ms, last_ms }: CandleWindow, size: number): CandleWindow[] {
  const parts: CandleWindow[] = [];
  for (let from_ms = first_ms; from_ms <= last_ms; from_ms = shiftInterval(interval, from_ms, size)) {
    parts.push({ first_ms: from_ms, last_ms: Math.min(shiftInterval(interval, from_ms, size - 1), last_ms) });
  }
  return parts;
}
