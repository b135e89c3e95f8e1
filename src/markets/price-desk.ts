import { withDeadline } from '../http/with-deadline.ts';
import type { Observation } from './aggregate.ts';
import type { BreakerBoard } from './sources/breaker-board.ts';
import type { PriceSource } from './sources/price-source.ts';

/** How long one source may take. All are asked at once, so this is also how long a round lasts at most. */
const SOURCE_TIMEOUT_MS = 2_000;

/** How long a round still waits when enough sources have answered. */
const GRACE_MS = 250;

/** Two can agree. */
const MIN_ANSWERS = 2;

/** With fewer sources in good standing, suspended ones are tried early: three believe a jump, and outvote one liar. */
const FEW_SOURCES = 3;

/** Asks the price sources, round by round. One desk belongs to one object: a source is never asked twice at a time. */
export class PriceDesk {
  readonly #sources: readonly PriceSource[];
  readonly #breakers: BreakerBoard;
  readonly #asking = new Set<string>();

  constructor(sources: readonly PriceSource[], breakers: BreakerBoard) {
    this.#sources = sources;
    this.#breakers = breakers;
  }

  /**
   * One round: asks all sources that may be asked, in parallel, and gives what arrived, in the order of the sources.
   * It ends when all have answered or failed, 250 ms after more than half of those in good standing have answered,
   * or after 2 s. What arrives later counts for the source's standing alone. Never rejects.
   */
  async ask(): Promise<Observation[]> {
    const asked = this.#chooseSources(Date.now());
    const enough = Math.max(MIN_ANSWERS, Math.floor(asked.filter(({ isGood }) => isGood).length / 2) + 1);
    const answers = new Map<string, Observation[]>();
    const grace = new Grace();
    const questions = asked.map(async ({ source }) => {
      const observations = await this.#askSource(source);
      if (observations.length > 0) answers.set(source.name, observations);
      if (answers.size >= enough) grace.begin();
    });
    await Promise.race([Promise.all(questions), grace.over]);
    grace.end();
    return this.#sources.flatMap(({ name }) => answers.get(name) ?? []);
  }

  #chooseSources(now_ms: number): { source: PriceSource; isGood: boolean }[] {
    const candidates = this.#sources
      .map((source) => ({ source, standing: this.#breakers.standingOf(breakerOf(source), now_ms) }))
      .filter(({ source }) => !this.#asking.has(source.name));
    const good = candidates.filter(({ standing }) => standing === 'good');
    const areFew = good.length < FEW_SOURCES;
    return candidates
      .filter(({ standing }) => standing !== 'suspended' && (areFew || standing !== 'probe_if_needed'))
      .map(({ source, standing }) => ({ source, isGood: standing === 'good' }));
  }

  async #askSource(source: PriceSource): Promise<Observation[]> {
    this.#asking.add(source.name);
    try {
      const tickers = await withDeadline(SOURCE_TIMEOUT_MS, (signal) => source.fetchTickers(signal, Date.now()));
      this.#breakers.recordAnswer(breakerOf(source));
      const received_ms = Date.now();
      return tickers.map((ticker) => ({ source: source.name, received_ms, ticker }));
    } catch (error) {
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

/** The time that stragglers get. */
class Grace {
  readonly #over = Promise.withResolvers<void>();
  #stopTimer: (() => void) | undefined;

  get over(): Promise<void> {
    return this.#over.promise;
  }

  begin(): void {
    if (this.#stopTimer) return;
    const timer = setTimeout(this.#over.resolve, GRACE_MS);
    this.#stopTimer = () => clearTimeout(timer);
  }

  end(): void {
    this.#stopTimer?.();
  }
}
