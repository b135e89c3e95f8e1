import { type Outcome, accept, refuse } from '../../http/refusal.ts';
import { logSourceFailure } from '../sources/log-failure.ts';
import { withDeadline } from '../../http/with-deadline.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from './candle-source.ts';

/** How long all sources together may take. */
const DEADLINE_MS = 4_000;

/**
 * The candles of the first source that answers well, in the order given; two sources are never mixed in one series.
 * What is left of the deadline is shared equally by the sources that are left, so that one that hangs leaves time
 * for the next. Refuses with `upstream_unavailable` when none answers well. Never rejects.
 */
export async function askCandleSources(
  sources: readonly CandleSource[],
  question: CandleQuestion,
): Promise<Outcome<MarketCandle[]>> {
  const deadline_ms = Date.now() + DEADLINE_MS;
  for (const [index, source] of sources.entries()) {
    const now_ms = Date.now();
    const share_ms = (deadline_ms - now_ms) / (sources.length - index);
    try {
      return accept(await withDeadline(share_ms, (signal) => source.fetchCandles(question, signal, now_ms)));
    } catch (error) {
      logSourceFailure('candle_source_failed', source.name, error);
    }
  }
  return refuse('upstream_unavailable', 'No candle source answers at present. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}
