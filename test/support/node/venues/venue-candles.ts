import { type Interval, shiftInterval, startOfInterval } from '../../../../src/markets/candles/interval.ts';
import type { VenueMarket } from './venue-state.ts';

export interface VenueCandle {
  readonly start_ms: number;
  readonly end_ms: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** At most `count` candles that start from `from_ms` on, and not after `until_ms`. */
export function listCandles(
  market: VenueMarket,
  interval: Interval,
  from_ms: number,
  until_ms: number,
  count: number,
): VenueCandle[] {
  const candles: VenueCandle[] = [];
  for (let start_ms = firstStart(interval, from_ms); start_ms <= until_ms && candles.length < count;) {
    const end_ms = shiftInterval(interval, start_ms, 1);
    candles.push({ start_ms, end_ms, ...drawCandle(market) });
    start_ms = end_ms;
  }
  return candles;
}

/** The newest `count` candles that start from `from_ms` to `until_ms`, in ascending order. */
export function listNewestCandles(
  market: VenueMarket,
  interval: Interval,
  from_ms: number,
  until_ms: number,
  count: number,
): VenueCandle[] {
  const newest_ms = startOfInterval(interval, until_ms);
  return listCandles(
    market,
    interval,
    Math.max(from_ms, shiftInterval(interval, newest_ms, 1 - count)),
    until_ms,
    count,
  );
}

function firstStart(interval: Interval, time_ms: number): number {
  const start_ms = startOfInterval(interval, time_ms);
  return start_ms === time_ms ? start_ms : shiftInterval(interval, start_ms, 1);
}

/** Open, close, high and low are four different numbers, so that a test fails if two are confused. */
function drawCandle({ price, volume }: VenueMarket) {
  const text = (factor: number) => (Number(price) * factor).toFixed(8);
  return { open: text(1), high: text(1.01), low: text(0.99), close: text(1.005), volume };
}
