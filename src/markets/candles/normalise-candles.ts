import { formatPrice, parsePrice, parseVolume } from '../../money/amounts.ts';
import { SourceError } from '../sources/source-error.ts';
import type { CandleQuestion, MarketCandle } from './candle-source.ts';
import { startOfInterval } from './interval.ts';

/** How far a venue's clock may run ahead of ours. */
const MAX_CLOCK_LEAD_MS = 10_000;

/**
 * Brings a venue's rows into Bureau's form: ascending, one row for each start (of two the later), plain decimals, and
 * only the rows that were asked for. Gaps remain, because venues have them.
 *
 * Throws a `SourceError` when any row is off the interval's grid (of fault `question_refused`: the venue's other
 * intervals are as good as before), in the future, not positive, or has its prices in the wrong order: a venue with one
 * wrong row is not trusted for the others.
 */
export function normaliseCandles(
  rows: readonly MarketCandle[],
  question: CandleQuestion,
  now_ms: number,
): MarketCandle[] {
  const byStart = new Map<number, MarketCandle>();
  for (const row of rows) {
    if (startOfInterval(question.interval, row.start_ms) !== row.start_ms) {
      throw new SourceError('candle off the grid', { fault: 'question_refused' });
    }
    if (row.start_ms > now_ms + MAX_CLOCK_LEAD_MS) throw new SourceError('candle in the future');
    byStart.set(row.start_ms, normaliseCandle(row));
  }
  const { startTime_ms = -Infinity, endTime_ms = Infinity } = question;
  const wanted = [...byStart.values()]
    .filter(({ start_ms }) => start_ms >= startTime_ms && start_ms <= endTime_ms)
    .toSorted((one, other) => one.start_ms - other.start_ms);
  return limitCandles(wanted, question);
}

/** The `limit` candles that are asked for: the oldest if the question has a start, else the newest. */
export function limitCandles(candles: MarketCandle[], { limit, startTime_ms }: CandleQuestion): MarketCandle[] {
  return startTime_ms === undefined ? candles.slice(-limit) : candles.slice(0, limit);
}

function normaliseCandle(row: MarketCandle): MarketCandle {
  const [open, high, low, close] = [row.open, row.high, row.low, row.close].map(parsePrice);
  const volume = parseVolume(row.volume);
  if (!open || !high || !low || !close || volume === undefined) throw new SourceError('candle not of positive numbers');
  if (low > open || low > close || high < open || high < close)
    throw new SourceError('candle with prices out of order');
  return {
    start_ms: row.start_ms,
    open: formatPrice(open),
    high: formatPrice(high),
    low: formatPrice(low),
    close: formatPrice(close),
    volume,
  };
}
