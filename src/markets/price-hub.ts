import { DurableObject } from 'cloudflare:workers';
import { type Bindings, config } from '../env.ts';
import type { Outcome } from '../http/refusal.ts';
import { chooseCandleSources, choosePriceSources } from '../providers.ts';
import { askPriceSources } from './ask-price-sources.ts';
import { CandleDesk, type CandleSeries } from './candles/candle-desk.ts';
import type { CandleQuestion } from './candles/candle-source.ts';
import { emptyMemory, recordRound } from './record-round.ts';
import type { MarketSnapshot } from './snapshot.ts';

/** After a round that nobody answered, the next begins no sooner. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/**
 * The one object in the world that asks the venues: however many callers there are, one round of questions is under
 * way at most. Outside it, `read-hub.ts` is the way to it.
 */
export class PriceHub extends DurableObject<Bindings> {
  readonly #priceSources = choosePriceSources(config);
  readonly #candleDesk = new CandleDesk(chooseCandleSources(config));
  #memory = emptyMemory;
  #failed_ms = -Infinity;
  #round: Promise<void> | undefined;

  /**
   * All markets, from memory when the last round ended at most `maxAge_ms` ago, else from a new round or from the
   * one under way, within some 2 s. When nobody answers, it is the last snapshot with its honest times.
   */
  async snapshot({ maxAge_ms }: { readonly maxAge_ms: number }): Promise<MarketSnapshot> {
    if (this.#needsRound(maxAge_ms, Date.now())) {
      this.#round ??= this.#takeRound().finally(() => {
        this.#round = undefined;
      });
      await this.#round;
    }
    return this.#memory.snapshot;
  }

  /**
   * The candles asked for, at most as old as `freshTimeOfCandles` allows, within some 4 s. Refuses with
   * `upstream_unavailable` when no source answers well, and `service_unavailable` under too many questions.
   */
  candles(question: CandleQuestion): Promise<Outcome<CandleSeries>> {
    return this.#candleDesk.answer(question);
  }

  #needsRound(maxAge_ms: number, now_ms: number): boolean {
    return now_ms - this.#memory.snapshot.taken_ms > maxAge_ms && now_ms - this.#failed_ms > PAUSE_AFTER_FAILURE_MS;
  }

  async #takeRound(): Promise<void> {
    const observations = await askPriceSources(this.#priceSources);
    const now_ms = Date.now();
    this.#memory = recordRound(this.#memory, observations, now_ms);
    if (observations.length === 0) this.#failed_ms = now_ms;
  }
}
