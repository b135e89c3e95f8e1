import { formatPrice, parsePrice, sumVolumes } from '../../money/amounts.ts';
import type { MarketCandle } from './candle-source.ts';
import { startOfInterval } from './interval.ts';

/**
 * Makes weeks, which begin on Monday, from days. `days` are ascending plain decimals, as `normaliseCandles` gives them;
 * a day without a candle adds nothing to its week, and the week of the last day may still be running.
 */
export function foldWeeks(days: readonly MarketCandle[]): MarketCandle[] {
  return [...Map.groupBy(days, ({ start_ms }) => startOfInterval('1w', start_ms))].map(foldWeek);
}

function foldWeek([start_ms, days]: [number, readonly MarketCandle[]]): MarketCandle {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) throw new RangeError('a week is made of at least one day');
  const highs = days.map(({ high }) => parsePrice(high) ?? 0n);
  const lows = days.map(({ low }) => parsePrice(low) ?? 0n);
  return {
    start_ms,
    open: first.open,
    high: formatPrice(highs.reduce((best, next) => (next > best ? next : best))),
    low: formatPrice(lows.reduce((best, next) => (next < best ? next : best))),
    close: last.close,
    volume: sumVolumes(days.map(({ volume }) => volume)),
  };
}
