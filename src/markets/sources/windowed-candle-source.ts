import type { Venue } from '../../money/venue-symbols.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from '../candles/candle-source.ts';
import { type CandleWindow, windowOf } from '../candles/candle-window.ts';
import { normaliseCandles } from '../candles/normalise-candles.ts';
import { symbolAt } from './read-answer.ts';
import { SourceError } from './source-error.ts';

/** A request for candles: the venue's symbol, the question, and the range that it means. */
export interface WindowedQuestion extends CandleQuestion, CandleWindow {
  readonly symbol: string;
}

/**
 * A venue that must be told a range to give the oldest candles from a start on. It gives fewer than `limit` where it
 * has gaps in the range. If it has none at all, its history may begin later, so the next source is asked: it rejects
 * with a `SourceError` of fault `question_refused`.
 */
export function createWindowedCandleSource(
  venue: Venue,
  requestsPerMinute: number,
  fetchRows: (question: WindowedQuestion, signal: AbortSignal, now_ms: number) => Promise<MarketCandle[]>,
  countRequests: CandleSource['countRequests'] = () => 1,
): CandleSource {
  return {
    name: venue,
    requestsPerMinute,
    countRequests,
    fetchCandles: async (question, signal, now_ms) => {
      const symbol = symbolAt(venue, question.coin);
      const window = windowOf(question, now_ms);
      if (!window) return [];
      const rows = await fetchRows({ ...question, ...window, symbol }, signal, now_ms);
      const candles = normaliseCandles(rows, question, now_ms);
      if (candles.length === 0) throw new SourceError('has no candles there', { fault: 'question_refused' });
      return candles;
    },
  };
}
