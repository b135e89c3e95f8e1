import { hedge } from '../../http/hedge.ts';
import { logFault } from '../../http/log.ts';
import { type Outcome, accept, refuse } from '../../http/refusal.ts';
import { withDeadline } from '../../http/with-deadline.ts';
import type { BreakerBoard } from '../sources/breaker-board.ts';
import { SourceError } from '../sources/source-error.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from './candle-source.ts';

/** How long all sources together may take. */
const DEADLINE_MS = 4_000;

/** How long a source is waited for alone. */
const HEDGE_MS = 500;

/**
 * The candles of the first source that answers well; two sources are never mixed in one series. They are asked in the
 * order given: the next when one fails, or after 500 ms beside it. Suspended ones are left out, unless there is no
 * other. Refuses with `upstream_unavailable` when none answers well within 4 s. Never rejects.
 */
export async function askCandleSources(
  sources: readonly CandleSource[],
  breakers: BreakerBoard,
  question: CandleQuestion,
): Promise<Outcome<MarketCandle[]>> {
  const begun_ms = Date.now();
  const attempts = chooseSources(sources, breakers, begun_ms).map(
    (source) => (won: AbortSignal) => askSource(source, breakers, question, begun_ms + DEADLINE_MS, won),
  );
  if (attempts.length === 0) return noneAnswers;
  try {
    return accept(await hedge(attempts, HEDGE_MS));
  } catch {
    return noneAnswers;
  }
}

const noneAnswers = refuse('upstream_unavailable', 'No candle source answers at present. Try again in a few seconds.', {
  retryAfterSeconds: 5,
});

function chooseSources(sources: readonly CandleSource[], breakers: BreakerBoard, now_ms: number): CandleSource[] {
  const standing = (source: CandleSource) => breakers.standingOf(breakerOf(source), now_ms);
  const ready = sources.filter((source) => ['good', 'probe'].includes(standing(source)));
  return ready.length > 0 ? ready : sources.filter((source) => standing(source) === 'probe_if_needed');
}

async function askSource(
  source: CandleSource,
  breakers: BreakerBoard,
  question: CandleQuestion,
  deadline_ms: number,
  won: AbortSignal,
): Promise<MarketCandle[]> {
  const begun_ms = Date.now();
  try {
    const candles = await withDeadline(deadline_ms - begun_ms, (late) =>
      source.fetchCandles(question, AbortSignal.any([late, won]), begun_ms),
    );
    breakers.recordAnswer(breakerOf(source));
    return candles;
  } catch (error) {
    recordFailure(source, breakers, error, won.aborted && Date.now() - begun_ms < HEDGE_MS);
    throw error;
  }
}

/** A question that a venue refuses says nothing of its health, nor does one that was overtaken at once. */
function recordFailure(source: CandleSource, breakers: BreakerBoard, error: unknown, isOvertaken: boolean): void {
  if (isOvertaken) return;
  if (error instanceof SourceError && error.fault === 'question_refused') {
    logFault('source_refused_question', { source: breakerOf(source), reason: error.message });
    return;
  }
  breakers.recordFailure(breakerOf(source), error, Date.now());
}

function breakerOf({ name }: CandleSource): string {
  return `candles/${name}`;
}
