import { formatPrice } from '../../money/prices.ts';
import { SANDBOX_FIRST_DAY_MS, openSandboxMarket } from '../sandbox-market.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from './candle-source.ts';
import { type Interval, shiftInterval, startOfInterval } from './interval.ts';

/** Candles of the deterministic market, in memory: each closes at the price that the sandbox's tickers show then. */
export function createSandboxCandleSource(): CandleSource {
  return {
    name: 'sandbox',
    requestsPerMinute: 6_000,
    countRequests: () => 1,
    fetchCandles: (question, _signal, now_ms) => Promise.resolve(makeCandles(question, now_ms)),
  };
}

function makeCandles(question: CandleQuestion, now_ms: number): MarketCandle[] {
  const market = openSandboxMarket(question.coin);
  return listStarts(question, now_ms).map((start_ms) => {
    const end_ms = Math.min(shiftInterval(question.interval, start_ms, 1), now_ms);
    const trades = market.tradesBetween(start_ms, end_ms);
    return {
      start_ms,
      open: formatPrice(trades.open),
      high: formatPrice(trades.high),
      low: formatPrice(trades.low),
      close: formatPrice(trades.close),
      volume: trades.volume,
    };
  });
}

/** The starts of the candles asked for, ascending; the first day, a Monday and a month's first, is on every grid. */
function listStarts({ interval, limit, startTime_ms, endTime_ms }: CandleQuestion, now_ms: number): number[] {
  const newest = startOfInterval(interval, Math.min(endTime_ms ?? now_ms, now_ms));
  const oldest =
    startTime_ms === undefined ? shiftInterval(interval, newest, 1 - limit) : firstStartFrom(interval, startTime_ms);
  const starts: number[] = [];
  let start_ms = Math.max(oldest, SANDBOX_FIRST_DAY_MS);
  while (start_ms <= newest && starts.length < limit) {
    starts.push(start_ms);
    start_ms = shiftInterval(interval, start_ms, 1);
  }
  return starts;
}

function firstStartFrom(interval: Interval, time_ms: number): number {
  const start_ms = startOfInterval(interval, time_ms);
  return start_ms === time_ms ? start_ms : shiftInterval(interval, start_ms, 1);
}
