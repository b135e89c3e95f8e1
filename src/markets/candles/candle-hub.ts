import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../../platform/bindings.ts';
import { describeError, logFault } from '../../platform/log.ts';
import type { Outcome } from '../../http/answer.ts';
import { CircuitBreakers, BreakersByName } from '../sources/circuit-breakers.ts';
import { CandleCache } from './candle-cache.ts';
import type { CandleQuestion, CandleSeries, CandleSource } from './candle-source.ts';

const KEPT = 'breakers';

/**
 * The one object that asks the venues for candles. It is not the price hub: anybody may ask for any period of any
 * market, and no order may wait behind that. Other code calls it through `read-candles.ts`.
 */
export class CandleHub extends DurableObject<Bindings> {
  readonly #cache: CandleCache;

  constructor(state: DurableObjectState, bindings: Bindings, sources: readonly CandleSource[]) {
    super(state, bindings);
    const kept = BreakersByName.safeParse(state.storage.kv.get(KEPT));
    const breakers = new CircuitBreakers(kept.success ? kept.data : {}, () => this.#keep(breakers));
    this.#cache = new CandleCache(sources, breakers);
  }

  /**
   * The candles asked for, at most as old as `freshTimeOfSeries` allows, within some 4 s. Refuses with
   * `upstream_unavailable` when no source answers well, and with `service_unavailable` under too many requests.
   */
  candles(question: CandleQuestion): Promise<Outcome<CandleSeries>> {
    return this.#cache.answer(question);
  }

  /** Stores which sources are suspended. If that fails, they are asked again after an eviction. */
  #keep(breakers: CircuitBreakers): void {
    try {
      this.ctx.storage.kv.put(KEPT, breakers.list());
    } catch (error) {
      logFault('candle_hub_not_kept', { error: describeError(error) });
    }
  }
}
