import { formatPrice } from '../../money/amounts.ts';
import { SANDBOX_FIRST_DAY_MS, openSandboxMarket } from '../sandbox-market.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from './candle-source.ts';
import { splitWindow, windowOf } from './candle-window.ts';
import { shiftInterval } from './interval.ts';

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
    const { volume, ...prices } = market.tradesBetween(start_ms, end_ms);
    const [open, high, low, close] = [prices.open, prices.high, prices.low, prices.close].map(formatPrice);
    return { start_ms, open, high, low, close, volume } as MarketCandle;
  });
}

/** The starts of the candles asked for, ascending; the first day, a Monday and a month's first, is on every grid. */
function listStarts({ startTime_ms, ...question }: CandleQuestion, now_ms: number): number[] {
  const from_ms = startTime_ms === undefined ? undefined : Math.max(startTime_ms, SANDBOX_FIRST_DAY_MS);
  const window = windowOf({ ...question, startTime_ms: from_ms }, now_ms);
  if (!window) return [];
  const first_ms = Math.max(window.first_ms, SANDBOX_FIRST_DAY_MS);
  return splitWindow(question.interval, { ...window, first_ms }, 1).map((part) => part.first_ms);
}
