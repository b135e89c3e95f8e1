import { hedge } from './hedge.ts';
import { type Outcome, accept, refuse } from '../../http/answer.ts';
import { withDeadline } from '../../platform/deadline.ts';
import type { CircuitBreakers } from '../sources/circuit-breakers.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from './candle-source.ts';
import type { RequestBudget } from './request-budget.ts';

/** How long all sources together may take. */
const DEADLINE_MS = 4_000;

/** How long to wait for a source before the next is asked as well. */
const HEDGE_MS = 500;

export type RequestBudgets = ReadonlyMap<string, RequestBudget>;

/** The source was not asked because its budget is used up. */
class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/**
 * The candles of the first source that answers well; two sources are never mixed in one series. They are asked in the
 * order given: the next when one fails, or after 500 ms in parallel. Suspended ones are left out unless there is no
 * other. When none answers well within 4 s, it refuses: with `service_unavailable` if the budget of one is used up,
 * else with `upstream_unavailable`. Never rejects.
 */
export async function askCandleSources(
  sources: readonly CandleSource[],
  breakers: CircuitBreakers,
  budgets: RequestBudgets,
  question: CandleQuestion,
): Promise<Outcome<MarketCandle[]>> {
  const begun_ms = Date.now();
  const chosen = chooseSources(sources, breakers, begun_ms);
  if (chosen.length === 0) return noneAnswers;
  const waits_ms = chosen.map(
    (source) => budgets.get(source.name)?.waitFor(source.countRequests(question), begun_ms) ?? 0,
  );
  // A flood of questions ends here, and costs no timers.
  if (waits_ms.every((wait_ms) => wait_ms > 0)) return refuseForNow(Math.min(...waits_ms));
  const spent_ms: number[] = [];
  const attempts = chosen.map((source) => async (won: AbortSignal) => {
    const wait_ms = budgets.get(source.name)?.take(source.countRequests(question), Date.now()) ?? 0;
    if (wait_ms > 0) {
      spent_ms.push(wait_ms);
      throw new BudgetSpent();
    }
    return askSource(source, breakers, question, begun_ms + DEADLINE_MS, won);
  });
  try {
    return accept(await hedge(attempts, HEDGE_MS));
  } catch {
    return spent_ms.length === 0 ? noneAnswers : refuseForNow(Math.min(...spent_ms));
  }
}

const noneAnswers = refuse('upstream_unavailable', 'No candle source answers at present. Try again in a few seconds.', {
  retryAfterSeconds: 5,
});

/** The refusal with `service_unavailable` while the sources may not be asked, and for how long that is. */
export function refuseForNow(wait_ms: number) {
  return refuse('service_unavailable', 'The candle sources were asked for as much as they allow. Try again later.', {
    retryAfterSeconds: Math.ceil(wait_ms / 1_000),
  });
}

function chooseSources(sources: readonly CandleSource[], breakers: CircuitBreakers, now_ms: number): CandleSource[] {
  const standing = (source: CandleSource) => breakers.standingOf(breakerOf(source), now_ms);
  const ready = sources.filter((source) => ['good', 'probe'].includes(standing(source)));
  return ready.length > 0 ? ready : sources.filter((source) => standing(source) === 'probe_if_needed');
}

async function askSource(
  source: CandleSource,
  breakers: CircuitBreakers,
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
    // If another source won at once, this one had no time to answer, so nothing is recorded.
    const isOvertaken = won.aborted && Date.now() - begun_ms < HEDGE_MS;
    if (!isOvertaken) breakers.recordFailure(breakerOf(source), error, Date.now());
    throw error;
  }
}

function breakerOf({ name }: CandleSource): string {
  return `candles/${name}`;
}
