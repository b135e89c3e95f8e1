/** The 13 intervals, in the order of the specification. `1m` is a minute, `1M` a month. */
export const intervals = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '12h', '1d', '1w', '1M'] as const;

export type Interval = (typeof intervals)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** The first Monday, 00:00 UTC, after the epoch, which was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Lengths of all intervals but the month, which has no fixed one. */
const lengths_ms: Readonly<Record<Exclude<Interval, '1M'>, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '1w': WEEK_MS,
};

/**
 * The start of the candle that contains `time_ms`. Times are UTC: weeks begin on Monday, months on day 1, and all
 * shorter intervals divide the day.
 */
export function startOfInterval(interval: Interval, time_ms: number): number {
  if (interval === '1M') {
    const time = new Date(time_ms);
    return Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
  }
  const offset_ms = interval === '1w' ? FIRST_MONDAY_MS : 0;
  const length_ms = lengths_ms[interval];
  return Math.floor((time_ms - offset_ms) / length_ms) * length_ms + offset_ms;
}

/** The first start at `time_ms` or later. */
export function nextStartOfInterval(interval: Interval, time_ms: number): number {
  const start_ms = startOfInterval(interval, time_ms);
  return start_ms === time_ms ? start_ms : shiftInterval(interval, start_ms, 1);
}

/** The start that lies `count` candles after `start_ms`, or before it when `count` is negative. */
export function shiftInterval(interval: Interval, start_ms: number, count: number): number {
  if (interval !== '1M') return start_ms + count * lengths_ms[interval];
  const start = new Date(start_ms);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + count);
}

const MIN_FRESH_MS = 5_000;
const MAX_FRESH_MS = 30_000;

/** How long a running candle of an interval may be cached: a tenth of the interval, within 5 to 30 seconds. */
export function freshTimeOfInterval(interval: Interval): number {
  if (interval === '1M') return MAX_FRESH_MS;
  return Math.min(Math.max(lengths_ms[interval] / 10, MIN_FRESH_MS), MAX_FRESH_MS);
}
