import { formatPrice, parsePrice, sumVolumes } from '../../money/prices.ts';
import type { MarketCandle } from './candle-source.ts';
import { startOfInterval } from './interval.ts';

/**
 * Makes weeks, which begin on Monday, from days. `days` are ascending plain decimals, as `normaliseCandles` gives them;
 * a day without a candle adds nothing to its week, and the week of the last day may still be running.
 */
export function foldWeeks(days: readonly MarketCandle[]): MarketCandle[] {
  const weeks = new Map<number, MarketCandle[]>();
  for (const day of days) {
    const start_ms = startOfInterval('1w', day.start_ms);
    const week = weeks.get(start_ms);
    if (week) week.push(day);
    else weeks.set(start_ms, [day]);
  }
  return [...weeks].map(([start_ms, week]) => foldWeek(start_ms, week));
}

function foldWeek(start_ms: number, days: readonly MarketCandle[]): MarketCandle {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) throw new RangeError('a week is made of at least one day');
  return {
    start_ms,
    open: first.open,
    high: pick(
      days,
      ({ high }) => high,
      (one, other) => one > other,
    ),
    low: pick(
      days,
      ({ low }) => low,
      (one, other) => one < other,
    ),
    close: last.close,
    volume: sumVolumes(days.map(({ volume }) => volume)),
  };
}

/** The highest or lowest price of some days, by the given order. */
function pick(
  days: readonly MarketCandle[],
  priceOf: (day: MarketCandle) => string,
  goesBefore: (one: bigint, other: bigint) => boolean,
): string {
  const prices = days.map((day) => parsePrice(priceOf(day)) ?? 0n);
  return formatPrice(prices.reduce((best, next) => (goesBefore(next, best) ? next : best)));
}
