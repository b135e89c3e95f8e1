import { type Outcome, accept, refuse } from '../../http/answer.ts';
import type { CircuitBreakers } from '../sources/circuit-breakers.ts';
import { type RequestBudgets, askCandleSources, refuseForNow } from './ask-candle-sources.ts';
import {
  type CandleQuestion,
  type CandleSeries,
  type CandleSource,
  MAX_CANDLES,
  freshTimeOfSeries,
  isAboutPast,
} from './candle-source.ts';
import { limitCandles } from './normalise-candles.ts';
import { RequestBudget } from './request-budget.ts';

/** The number of series held: one of 1000 candles takes some 0.3 MB of an object's 128. */
const MAX_SERIES_KEPT = 64;

/**
 * How many candles the sources are asked for: the first of these that suffices. Most callers want few, and reading a
 * thousand takes ten times as long as reading a hundred.
 */
const SIZES: readonly number[] = [100, MAX_CANDLES];

/** How many requests to venues may be under way at once. */
const MAX_QUESTIONS_OPEN = 16;

/**
 * How many candles of the past the sources are asked for in a minute, whoever asks. There is no end of different
 * questions about the past, and each candle takes time to read. Without this limit one caller could use up the sources'
 * budgets, and with them everybody's newest candles, and slow down the orders that share the processor.
 */
const PAST_CANDLES_PER_MINUTE = 25_000;

/**
 * Asks for candles on behalf of everyone. The sources are asked for one of two numbers of candles, so that one series
 * answers many `limit`s. A fresh series is reused, also a longer one, and callers of the same series share one request.
 * A failure is not stored. Only for use inside one object, because callers share promises.
 */
export class CandleCache {
  readonly #sources: readonly CandleSource[];
  readonly #breakers: CircuitBreakers;
  readonly #budgets: RequestBudgets;
  readonly #past = new RequestBudget(PAST_CANDLES_PER_MINUTE);
  readonly #kept = new Map<string, CandleSeries>();
  readonly #open = new Map<string, Promise<Outcome<CandleSeries>>>();

  constructor(sources: readonly CandleSource[], breakers: CircuitBreakers) {
    this.#sources = sources;
    this.#breakers = breakers;
    this.#budgets = new Map(sources.map(({ name, requestsPerMinute }) => [name, new RequestBudget(requestsPerMinute)]));
  }

  /**
   * Refuses with `upstream_unavailable`, or with `service_unavailable` when too many requests are under way or the
   * sources' budgets are used up.
   */
  async answer(question: CandleQuestion): Promise<Outcome<CandleSeries>> {
    if (isEmpty(question, Date.now())) return accept({ taken_ms: Date.now(), candles: [] });
    const suitable = SIZES.filter((limit) => limit >= question.limit).map((limit) => ({ ...question, limit }));
    for (const longer of suitable) {
      const kept = this.#kept.get(keyOf(longer));
      if (kept && Date.now() - kept.taken_ms < freshTimeOfSeries(longer, kept)) return limitSeries(kept, question);
    }
    const open = suitable.flatMap((longer) => this.#open.get(keyOf(longer)) ?? []);
    const [shortest = question] = suitable;
    const outcome = await (open[0] ?? this.#begin(shortest));
    return outcome.ok ? limitSeries(outcome.value, question) : outcome;
  }

  /** The series when it has come, or a refusal while too many others are under way. */
  #begin(question: CandleQuestion): Promise<Outcome<CandleSeries>> {
    if (this.#open.size >= MAX_QUESTIONS_OPEN) return Promise.resolve(tooManyQuestions);
    const key = keyOf(question);
    const series = this.#ask(key, question).finally(() => this.#open.delete(key));
    this.#open.set(key, series);
    return series;
  }

  async #ask(key: string, question: CandleQuestion): Promise<Outcome<CandleSeries>> {
    const wait_ms = isAboutPast(question) ? this.#past.take(question.limit, Date.now()) : 0;
    if (wait_ms > 0) return refuseForNow(wait_ms);
    const candles = await askCandleSources(this.#sources, this.#breakers, this.#budgets, question);
    if (!candles.ok) return candles;
    const series = { taken_ms: Date.now(), candles: candles.value };
    this.#kept.delete(key);
    this.#kept.set(key, series);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_SERIES_KEPT && !oldest.done) this.#kept.delete(oldest.value);
    return accept(series);
  }
}

const tooManyQuestions = refuse('service_unavailable', 'Too many different candles are asked for. Try again.', {
  retryAfterSeconds: 1,
});

/** There may be no start between the two times, and no candle has begun in the future. */
function isEmpty({ startTime_ms = -Infinity, endTime_ms = Infinity }: CandleQuestion, now_ms: number): boolean {
  return startTime_ms > Math.min(endTime_ms, now_ms) || endTime_ms < 0;
}

function keyOf({ coin, interval, limit, startTime_ms, endTime_ms }: CandleQuestion): string {
  return [coin, interval, limit, startTime_ms, endTime_ms].join('/');
}

function limitSeries(series: CandleSeries, question: CandleQuestion): Outcome<CandleSeries> {
  return accept({ taken_ms: series.taken_ms, candles: limitCandles(series.candles, question) });
}
