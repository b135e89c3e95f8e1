import { isRecent, withDeadline } from '../platform/deadline.ts';
import type { Observation } from './aggregate.ts';
import type { BreakerState, CircuitBreakers } from './sources/circuit-breakers.ts';
import type { PriceSource } from './sources/price-source.ts';
import { SourceError } from './sources/source-error.ts';

/** How long one source may take. All are asked at once, so this is also how long a round lasts at most. */
const SOURCE_TIMEOUT_MS = 2_000;

/** How long a round still waits when enough sources have answered. */
const GRACE_MS = 250;

/** A price needs at least two sources. */
const MIN_ANSWERS = 2;

/**
 * With fewer healthy sources than this, suspended ones are tried early: it takes three to accept a jump or to outvote a
 * wrong one.
 */
const FEW_SOURCES = 3;

/** Asks the price sources, round by round. One poller belongs to one object: a source is never asked twice at a time. */
export class PricePoller {
  readonly #sources: readonly PriceSource[];
  readonly #breakers: CircuitBreakers;
  readonly #asking = new Set<string>();
  readonly #last = new Map<string, { readonly asked_ms: number; readonly observations: readonly Observation[] }>();

  constructor(sources: readonly PriceSource[], breakers: CircuitBreakers) {
    this.#sources = sources;
    this.#breakers = breakers;
  }

  /**
   * One round: asks all sources that may be asked, in parallel, and returns the answers in the order of the sources. It
   * ends when all have answered or failed, 250 ms after more than half of the healthy ones have answered, or after 2 s.
   * Later answers still count for the circuit breakers. A source whose least interval is not over is not asked: its
   * last answer is repeated, with the time of its receipt. Never rejects.
   */
  async ask(): Promise<Observation[]> {
    const begun_ms = Date.now();
    const repeats = this.#listRepeats(begun_ms);
    const asked = this.#chooseSources(begun_ms, repeats);
    const enough = Math.max(MIN_ANSWERS, Math.floor(asked.filter(({ isGood }) => isGood).length / 2) + 1);
    const answers = new Map<string, readonly Observation[]>(repeats);
    const grace = Promise.withResolvers<void>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const questions = asked.map(async ({ source }) => {
      const observations = await this.#askSource(source);
      if (observations.length > 0) answers.set(source.name, observations);
      if (answers.size - repeats.size >= enough) timer ??= setTimeout(grace.resolve, GRACE_MS);
    });
    await Promise.race([Promise.all(questions), grace.promise]);
    if (timer !== undefined) clearTimeout(timer);
    return this.#sources.flatMap(({ name }) => answers.get(name) ?? []);
  }

  standingsAt(now_ms: number): Readonly<Record<string, BreakerState>> {
    return Object.fromEntries(
      this.#sources.map((source) => [source.name, this.#breakers.standingOf(breakerOf(source), now_ms)]),
    );
  }

  /** The last answers of the sources whose least interval is not over. */
  #listRepeats(now_ms: number): Map<string, readonly Observation[]> {
    const early = this.#sources.flatMap(({ name, leastInterval_ms }) => {
      const last = this.#last.get(name);
      if (!last || !isRecent(leastInterval_ms - 1, last.asked_ms, now_ms)) return [];
      return [[name, last.observations.map((one) => ({ ...one, isRepeat: true }))] as const];
    });
    return new Map(early);
  }

  #chooseSources(now_ms: number, repeats: ReadonlyMap<string, unknown>): { source: PriceSource; isGood: boolean }[] {
    const candidates = this.#sources
      .map((source) => ({ source, standing: this.#breakers.standingOf(breakerOf(source), now_ms) }))
      .filter(({ source }) => !this.#asking.has(source.name) && !repeats.has(source.name));
    const good = candidates.filter(({ standing }) => standing === 'good');
    const areFew = good.length < FEW_SOURCES;
    return candidates
      .filter(({ standing }) => standing !== 'suspended' && (areFew || standing !== 'probe_if_needed'))
      .map(({ source, standing }) => ({ source, isGood: standing === 'good' }));
  }

  async #askSource(source: PriceSource): Promise<readonly Observation[]> {
    const asked_ms = Date.now();
    this.#asking.add(source.name);
    try {
      const tickers = await withDeadline(SOURCE_TIMEOUT_MS, (signal) => source.fetchTickers(signal, Date.now()));
      if (tickers.length === 0) throw new SourceError('answered with none of the coins that were asked for');
      this.#breakers.recordAnswer(breakerOf(source));
      const received_ms = Date.now();
      const observations = tickers.map((ticker) => ({
        source: source.name,
        asOf_ms: source.isGathered ? Math.min(asked_ms, ticker.venueTime_ms ?? -Infinity) : asked_ms,
        received_ms,
        isRepeat: false,
        ticker,
      }));
      this.#last.set(source.name, { asked_ms, observations });
      return observations;
    } catch (error) {
      this.#last.set(source.name, { asked_ms, observations: [] });
      this.#breakers.recordFailure(breakerOf(source), error, Date.now());
      return [];
    } finally {
      this.#asking.delete(source.name);
    }
  }
}

function breakerOf({ name }: PriceSource): string {
  return `prices/${name}`;
}
