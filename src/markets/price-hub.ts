import { DurableObject } from 'cloudflare:workers';
import { z } from 'zod';
import { type Bindings, config } from '../env.ts';
import { describeError, logFault } from '../http/log.ts';
import type { Outcome } from '../http/refusal.ts';
import { chooseCandleSources, choosePriceSources } from '../providers.ts';
import { CandleDesk } from './candles/candle-desk.ts';
import type { CandleSeries } from './candles/candle-series.ts';
import type { CandleQuestion } from './candles/candle-source.ts';
import { PriceDesk } from './price-desk.ts';
import { HubMemory, emptyMemory, recordRound } from './record-round.ts';
import type { MarketSnapshot } from './snapshot.ts';
import { BreakerBoard, Breakers } from './sources/breaker-board.ts';

/** After a round that nobody answered, the next begins no sooner. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** While somebody reads, a round begins this often, so that who reads a ticker never waits for the venues. */
const WARM_INTERVAL_MS = 8_000;

/** How long after the last reader that goes on. */
const WARM_TIME_MS = 60_000;

/** What the hub keeps over an eviction. Anything else, as an older version may have left it, is forgotten. */
const Kept = z.object({ memory: HubMemory, breakers: Breakers });

const KEPT = 'kept';

/**
 * The one object in the world that asks the venues: however many callers there are, one round of questions is under
 * way at most. Outside it, `read-hub.ts` is the way to it.
 */
export class PriceHub extends DurableObject<Bindings> {
  readonly #breakers: BreakerBoard;
  readonly #priceDesk: PriceDesk;
  readonly #candleDesk: CandleDesk;
  #memory: HubMemory;
  #failed_ms = -Infinity;
  #round: Promise<void> | undefined;
  #lastRead_ms = -Infinity;
  #isWarm = false;

  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings);
    const kept = Kept.safeParse(state.storage.kv.get(KEPT));
    this.#memory = kept.success ? kept.data.memory : emptyMemory;
    this.#breakers = new BreakerBoard(kept.success ? kept.data.breakers : {}, () => this.#keep());
    this.#priceDesk = new PriceDesk(choosePriceSources(config), this.#breakers);
    this.#candleDesk = new CandleDesk(chooseCandleSources(config), this.#breakers);
  }

  /**
   * All markets, from memory when the last round ended at most `maxAge_ms` ago, else from a new round or from the
   * one under way, within some 2 s. When nobody answers, it is the last snapshot with its honest times.
   */
  async snapshot({ maxAge_ms }: { readonly maxAge_ms: number; readonly forOrders?: boolean }): Promise<MarketSnapshot> {
    await this.#stayWarm(Date.now());
    if (this.#needsRound(maxAge_ms, Date.now())) await this.#joinRound();
    return this.#memory.snapshot;
  }

  /**
   * The candles asked for, at most as old as `freshTimeOfSeries` allows, within some 4 s. Refuses with
   * `upstream_unavailable` when no source answers well, and `service_unavailable` under too many questions.
   */
  candles(question: CandleQuestion): Promise<Outcome<CandleSeries>> {
    return this.#candleDesk.answer(question);
  }

  /** Takes a round ahead of the next reader, as long as there was one lately; else lets the hub go to sleep. */
  override async alarm(): Promise<void> {
    this.#isWarm = false;
    if (Date.now() - this.#lastRead_ms > WARM_TIME_MS) return;
    await this.#joinRound();
    await this.#setAlarm(Date.now());
  }

  async #stayWarm(now_ms: number): Promise<void> {
    this.#lastRead_ms = now_ms;
    if (!this.#isWarm) await this.#setAlarm(now_ms);
  }

  async #setAlarm(now_ms: number): Promise<void> {
    this.#isWarm = true;
    try {
      await this.ctx.storage.setAlarm(now_ms + WARM_INTERVAL_MS);
    } catch (error) {
      this.#isWarm = false;
      logFault('price_hub_alarm_not_set', { error: describeError(error) });
    }
  }

  #needsRound(maxAge_ms: number, now_ms: number): boolean {
    const isFresh = isWithin(maxAge_ms, this.#memory.snapshot.taken_ms, now_ms);
    return !isFresh && !isWithin(PAUSE_AFTER_FAILURE_MS, this.#failed_ms, now_ms);
  }

  #joinRound(): Promise<void> {
    this.#round ??= this.#takeRound().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #takeRound(): Promise<void> {
    const observations = await this.#priceDesk.ask();
    const now_ms = Date.now();
    this.#memory = recordRound(this.#memory, observations, now_ms);
    if (observations.length === 0) this.#failed_ms = now_ms;
    else this.#keep();
  }

  /** Writes down what an eviction must not lose. Without it the hub only begins anew, so a failure is no reader's. */
  #keep(): void {
    try {
      this.ctx.storage.kv.put(KEPT, { memory: this.#memory, breakers: this.#breakers.list() });
    } catch (error) {
      logFault('price_hub_not_kept', { error: describeError(error) });
    }
  }
}

/** Whether something happened at most so long ago. What lies ahead of the clock did not: the clock went back since. */
function isWithin(age_ms: number, time_ms: number, now_ms: number): boolean {
  return time_ms <= now_ms && now_ms - time_ms <= age_ms;
}
