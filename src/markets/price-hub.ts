import { DurableObject } from 'cloudflare:workers';
import { z } from 'zod';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { coinSymbols } from '../money/assets.ts';
import { OperatorFallbacks } from './operator-fallbacks.ts';
import { PricePoller } from './price-poller.ts';
import { HubMemory, emptyMemory, recordRound } from './record-round.ts';
import type { MarketSnapshot } from './snapshot.ts';
import { CircuitBreakers, BreakersByName } from './sources/circuit-breakers.ts';
import type { PriceSource } from './sources/price-source.ts';

/** After a round that nobody answered, the next begins no sooner. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** While somebody reads, a round begins this often, so that who reads a ticker never waits for the venues. */
const WARM_INTERVAL_MS = 8_000;

/** While orders come, a round begins this often: who trades never waits for the venues, nor on an old price. */
const ORDER_INTERVAL_MS = 1_000;

/** How long after the last reader, and after the last order, that goes on. */
const WARM_TIME_MS = 60_000;

/** What the hub keeps over an eviction. Anything else, as an older version may have left it, is forgotten. */
const Kept = z.object({ memory: HubMemory, breakers: BreakersByName });

const KEPT = 'kept';

/** How old a snapshot may be, and whether orders are filled by it. */
interface SnapshotQuestion {
  readonly maxAge_ms: number;
  readonly forOrders?: boolean;
}

/**
 * The one object in the world that asks the venues for prices: however many callers there are, one round of questions is under
 * way at most. Outside it, `read-hub.ts` is the way to it.
 */
export class PriceHub extends DurableObject<Bindings> {
  readonly #breakers: CircuitBreakers;
  readonly #poller: PricePoller;
  readonly #fallbacks: OperatorFallbacks;
  #memory: HubMemory;
  #isKept = true;
  #failed_ms = -Infinity;
  #begun_ms = -Infinity;
  #round: Promise<void> | undefined;
  #lastRead_ms = -Infinity;
  #isWarm = false;
  #lastOrder_ms = -Infinity;
  #orderTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(state: DurableObjectState, bindings: Bindings, sources: readonly PriceSource[]) {
    super(state, bindings);
    const kept = Kept.safeParse(state.storage.kv.get(KEPT));
    this.#memory = kept.success ? kept.data.memory : emptyMemory;
    this.#breakers = new CircuitBreakers(kept.success ? kept.data.breakers : {}, () => this.#keep());
    this.#poller = new PricePoller(sources, this.#breakers);
    this.#fallbacks = new OperatorFallbacks(bindings.DB);
  }

  /**
   * All markets, from memory when the last round ended at most `maxAge_ms` ago, else from a new round or from the
   * one under way, within some 2 s. When nobody answers, it is the last snapshot with its honest times.
   *
   * Who asks `forOrders` has the hub begin a round every second for a minute from then on, and begins none sooner.
   */
  async snapshot({ maxAge_ms, forOrders = false }: SnapshotQuestion): Promise<MarketSnapshot> {
    const now_ms = Date.now();
    await this.#stayWarm(now_ms);
    if (forOrders) this.#keepPace(now_ms);
    if (this.#needsRound(maxAge_ms, forOrders, now_ms)) {
      await this.#joinRound();
      if (!forOrders) this.#keepNews();
    }
    return this.#memory.snapshot;
  }

  /**
   * Takes a round ahead of the next reader, as long as there was one lately, and writes down what is new; else lets the
   * hub go to sleep. While orders come, the rounds are there already.
   */
  override async alarm(): Promise<void> {
    this.#isWarm = false;
    if (Date.now() - this.#lastRead_ms > WARM_TIME_MS) return;
    if (this.#orderTimer === undefined) await this.#joinRound();
    this.#keepNews();
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

  /** Begins a round every second by a timer, which an eviction ends; then the next order, or the alarm, is the way back. */
  #keepPace(now_ms: number): void {
    this.#lastOrder_ms = now_ms;
    this.#orderTimer ??= setTimeout(() => this.#takeOrderRound(), ORDER_INTERVAL_MS);
  }

  #takeOrderRound(): void {
    const isOver = !isWithin(WARM_TIME_MS, this.#lastOrder_ms, Date.now());
    this.#orderTimer = isOver ? undefined : setTimeout(() => this.#takeOrderRound(), ORDER_INTERVAL_MS);
    if (isOver) return;
    // What these rounds say is written down with the alarm's, every 8 s: a row a second would be paid for by nobody's gain.
    this.#joinRound().catch((error: unknown) => logFault('price_round_failed', { error: describeError(error) }));
  }

  #needsRound(maxAge_ms: number, forOrders: boolean, now_ms: number): boolean {
    if (isWithin(maxAge_ms, this.#memory.snapshot.taken_ms, now_ms)) return false;
    if (this.#round) return true;
    if (forOrders && isWithin(ORDER_INTERVAL_MS - 1, this.#begun_ms, now_ms)) return false;
    return !isWithin(PAUSE_AFTER_FAILURE_MS, this.#failed_ms, now_ms);
  }

  #joinRound(): Promise<void> {
    this.#round ??= this.#takeRound().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #takeRound(): Promise<void> {
    this.#begun_ms = Date.now();
    const observations = await this.#poller.ask();
    const now_ms = Date.now();
    const memory = recordRound(this.#memory, observations, now_ms);
    this.#memory = memory;
    if (observations.length === 0) this.#failed_ms = now_ms;
    else this.#isKept = false;
    if (coinSymbols.every((coin) => memory.snapshot.markets[coin].shown)) return;
    const fallbacks = await this.#fallbacks.refresh(memory.snapshot.fallbacks, now_ms);
    this.#memory = { ...memory, snapshot: { ...memory.snapshot, fallbacks } };
  }

  /** Writes down the last round that anybody answered, once. */
  #keepNews(): void {
    if (!this.#isKept) this.#keep();
  }

  /** Writes down what an eviction must not lose. Without it the hub only begins anew, so a failure is no reader's. */
  #keep(): void {
    this.#isKept = true;
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
