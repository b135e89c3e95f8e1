import { DurableObject } from 'cloudflare:workers';
import { z } from 'zod';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { isRecent, withDeadline } from '../platform/deadline.ts';
import { firstLedger, listLedgers } from '../db/database.ts';
import { readSettings } from '../db/settings.ts';
import { parsePrice } from '../money/amounts.ts';
import { coinSymbols } from '../money/assets.ts';
import { PricePoller } from './price-poller.ts';
import { HubMemory, type LeastRound, emptyMemory, recordRound } from './record-round.ts';
import { HOLD_MS } from './round-window.ts';
import type { MarketSnapshot, SnapshotForOrders } from './snapshot.ts';
import { type BreakerState, CircuitBreakers, BreakersByName } from './sources/circuit-breakers.ts';
import type { PriceSource } from './sources/price-source.ts';

/** The least pause after a round that nobody answered. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** While rounds are taken, the newest is stored this often. */
const KEEP_INTERVAL_MS = 8_000;

/** While somebody reads, a round begins this often, so that readers of a ticker never wait for the venues. */
const WARM_INTERVAL_MS = KEEP_INTERVAL_MS;

/**
 * While orders come, a round begins this often, so that orders never wait for the venues and never see an old price.
 */
const ORDER_INTERVAL_MS = 1_000;

/** How long this goes on after the last reader or the last order. */
const WARM_TIME_MS = 60_000;

/** How long the operator's fallback prices are used, after a failed read too. */
const FALLBACKS_FRESH_MS = 30_000;

/** Short, because the reader of a ticker waits for it after waiting for the venues. */
const FALLBACKS_DEADLINE_MS = 500;

/**
 * What is stored reserves this many round numbers after the newest (they follow the clock in ms). A hub that is reset
 * begins after the reserved ones, above every number that it gave out, whatever its clock says.
 */
const RESERVED_ROUNDS = 60_000;

/** What the hub stores. Anything in another shape is ignored. */
const StoredHub = z.object({ memory: HubMemory, breakers: BreakersByName });

const KEPT = 'kept';

/** The first number that no hub gave out. It is read by itself, so that it counts when the rest has another shape. */
const Reservation = z.object({ reserved: z.int() }).catch({ reserved: 0 });

/**
 * The one object that asks the venues for prices. Whatever the number of callers, at most one round is running. Other
 * code calls it through `read-hub.ts`.
 */
export class PriceHub extends DurableObject<Bindings> {
  readonly #breakers: CircuitBreakers;
  readonly #poller: PricePoller;
  readonly #least: LeastRound;
  readonly #areGatesSeveral: boolean;
  /** Rounds before the newest whose windows are not over, where gates need them. */
  #earlier: readonly MarketSnapshot[] = [];
  #reserved: number;
  #memory: HubMemory;
  #isKept = true;
  #kept_ms = -Infinity;
  #failed_ms = -Infinity;
  #begun_ms = -Infinity;
  #round: Promise<void> | undefined;
  #lastRead_ms = -Infinity;
  #isWarm = false;
  #lastOrder_ms = -Infinity;
  #orderTimer: ReturnType<typeof setTimeout> | undefined;
  #fallbacksRead_ms = -Infinity;

  constructor(state: DurableObjectState, bindings: Bindings, sources: readonly PriceSource[]) {
    super(state, bindings);
    const stored = state.storage.kv.get(KEPT);
    const kept = StoredHub.safeParse(stored);
    this.#memory = kept.success ? kept.data.memory : emptyMemory;
    this.#reserved = Reservation.parse(stored).reserved;
    this.#least = { round: this.#reserved, from_ms: stored === undefined ? 0 : endOfWindows(this.#memory, Date.now()) };
    this.#breakers = new CircuitBreakers(kept.success ? kept.data.breakers : {}, () => this.#keep());
    this.#poller = new PricePoller(sources, this.#breakers);
    this.#areGatesSeveral = listLedgers(bindings).length > 1;
  }

  /**
   * All markets: from memory when the last round ended at most `maxAge_ms` ago, else from the running round or a new
   * one, within some 2 s. When nobody answers, it is the last snapshot with its own times.
   *
   * `forOrders` schedules a round each second for the next minute; this call itself starts none. The answer also has the
   * earlier rounds that gates still fill at.
   */
  async snapshot({
    maxAge_ms,
    forOrders = false,
  }: {
    readonly maxAge_ms: number;
    readonly forOrders?: boolean;
  }): Promise<SnapshotForOrders> {
    const now_ms = Date.now();
    if (forOrders) this.#keepPace(now_ms);
    else await this.#stayWarm(now_ms);
    if (this.#needsRound(maxAge_ms, forOrders, now_ms)) {
      await this.#joinRound();
      if (!forOrders) this.#keepNews();
    }
    // A row for every round that orders need would cost money and gain nothing.
    if (forOrders && !isRecent(KEEP_INTERVAL_MS - 1, this.#kept_ms, now_ms)) this.#keepNews();
    const { snapshot } = this.#memory;
    return forOrders && this.#areGatesSeveral ? { ...snapshot, earlier: this.#earlier } : snapshot;
  }

  /** How each source of prices stands, by its name. It asks nobody. */
  standings(): Promise<Readonly<Record<string, BreakerState>>> {
    return Promise.resolve(this.#poller.standingsAt(Date.now()));
  }

  /**
   * If there was a reader lately, runs a round before the next reader comes, and stores its result; otherwise lets the
   * hub sleep. While orders come, the timer runs the rounds.
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

  /** Begins a round every second by a timer. An eviction ends the timer; the next order starts it again. */
  #keepPace(now_ms: number): void {
    this.#lastOrder_ms = now_ms;
    this.#orderTimer ??= setTimeout(() => this.#takeOrderRound(), ORDER_INTERVAL_MS);
  }

  #takeOrderRound(): void {
    const isOver = !isRecent(WARM_TIME_MS, this.#lastOrder_ms, Date.now());
    this.#orderTimer = isOver ? undefined : setTimeout(() => this.#takeOrderRound(), ORDER_INTERVAL_MS);
    if (isOver) return;
    this.#joinRound().catch((error: unknown) => logFault('price_round_failed', { error: describeError(error) }));
  }

  #needsRound(maxAge_ms: number, forOrders: boolean, now_ms: number): boolean {
    if (isRecent(maxAge_ms, this.#memory.snapshot.taken_ms, now_ms)) return false;
    if (this.#round) return true;
    if (forOrders && isRecent(ORDER_INTERVAL_MS - 1, this.#begun_ms, now_ms)) return false;
    return !isRecent(PAUSE_AFTER_FAILURE_MS, this.#failed_ms, now_ms);
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
    const memory = recordRound(this.#memory, observations, now_ms, this.#least);
    this.#keepEarlier(now_ms);
    this.#memory = memory;
    if (observations.length === 0) this.#failed_ms = now_ms;
    else this.#isKept = false;
    // Reserves the number before a caller sees it.
    if (memory.snapshot.round >= this.#reserved) this.#keep();
    if (coinSymbols.every((coin) => memory.snapshot.markets[coin].shown?.isHeld === false)) return;
    await this.#refreshFallbacks(now_ms);
  }

  /** Reads the operator's fallback prices, which are needed only while a price is not shown. The last ones stay otherwise. */
  async #refreshFallbacks(now_ms: number): Promise<void> {
    if (isRecent(FALLBACKS_FRESH_MS - 1, this.#fallbacksRead_ms, now_ms)) return;
    this.#fallbacksRead_ms = now_ms;
    try {
      const { fallbackPrices } = await withDeadline(FALLBACKS_DEADLINE_MS, () => readSettings(firstLedger(this.env)));
      const listed = coinSymbols.map((coin) => [coin, parsePrice(fallbackPrices[coin]?.price ?? '')] as const);
      const fallbacks = Object.fromEntries(listed.filter(([, price]) => price !== undefined));
      this.#memory = { ...this.#memory, snapshot: { ...this.#memory.snapshot, fallbacks } };
    } catch (error) {
      logFault('fallback_prices_unreadable', { error: describeError(error) });
    }
  }

  #keepEarlier(now_ms: number): void {
    if (!this.#areGatesSeveral) return;
    this.#earlier = [...this.#earlier, this.#memory.snapshot].filter(({ window }) => window.until_ms > now_ms);
  }

  /** Stores the last round that had an answer, unless it is stored already. */
  #keepNews(): void {
    if (!this.#isKept) this.#keep();
  }

  /**
   * Stores what an eviction must not lose. If that fails, no reader gets an error: a hub that is reset begins with older
   * prices, and where it numbers its rounds too low, orders are refused as `price_unavailable`.
   */
  #keep(): void {
    this.#isKept = true;
    this.#kept_ms = Date.now();
    const reserved = Math.max(this.#reserved, this.#memory.snapshot.round + RESERVED_ROUNDS);
    try {
      this.ctx.storage.kv.put(KEPT, { memory: this.#memory, breakers: this.#breakers.list(), reserved });
      this.#reserved = reserved;
    } catch (error) {
      logFault('price_hub_not_kept', { error: describeError(error) });
    }
  }
}

/**
 * When every window is over that a hub gave out before it was reset. It stored one of its rounds a few seconds before its
 * newest at the latest; where that is long ago, or was not stored in this shape, none or all may be under way.
 */
function endOfWindows({ snapshot }: HubMemory, now_ms: number): number {
  const isOver = snapshot.taken_ms > 0 && now_ms - snapshot.taken_ms > WARM_TIME_MS;
  return isOver ? 0 : now_ms + HOLD_MS;
}
