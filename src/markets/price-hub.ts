import { DurableObject } from 'cloudflare:workers';
import { z } from 'zod';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault, tryOrLog } from '../platform/log.ts';
import { isRecent, withDeadline } from '../platform/deadline.ts';
import { firstLedger } from '../db/database.ts';
import { readSettings } from '../db/settings.ts';
import { parsePrice } from '../money/amounts.ts';
import { type Coin, coinSymbols } from '../money/assets.ts';
import type { Observation } from './aggregate.ts';
import { PricePoller } from './price-poller.ts';
import { LONGEST_WAIT_MS } from './firm-price.ts';
import { type MarketRound, reachShard } from './reach-shard.ts';
import { HubMemory, emptyMemory, recordRound } from './record-round.ts';
import { type OrderPrice, type Vote, agreeOnRipePrice, voteOf } from './ripe-price.ts';
import type { Market, MarketSnapshot } from './snapshot.ts';
import { type BreakerState, CircuitBreakers, BreakersByName } from './sources/circuit-breakers.ts';
import type { PriceSource } from './sources/price-source.ts';
import type { StreamState } from './streams/venue-stream.ts';

/** The least pause after a round that nobody answered. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

/** While somebody reads, a round begins this often, so that readers of a ticker never wait for the venues. */
const WARM_INTERVAL_MS = 8_000;

/** How long this goes on after the last reader. */
const WARM_TIME_MS = 60_000;

/** While orders wait that too few streams serve, a round begins this often at most. */
const POLL_INTERVAL_MS = 1_000;

/** With fewer votes of streams than this, the venues are polled for orders as well. */
const ENOUGH_STREAMS = 4;

/** An order that has no price by then has the venues polled, whatever streams are open: they may all be silent. */
const POLL_AFTER_MS = 1_000;

/** Waiting orders are looked at this long after a message at the latest: many come in that time. */
const HEAR_PAUSE_MS = 5;

/** How long after the last order or preview the streams stay open. */
export const STREAM_TIME_MS = 900_000;

/** How often an alarm keeps the object while they are open: the runtime evicts one that nobody calls after some 2 min. */
const STREAM_ALARM_MS = 30_000;

/** How long the operator's fallback prices are used, after a failed read too. */
const FALLBACKS_FRESH_MS = 30_000;

/** Short, because the reader of a ticker waits for it after waiting for the venues. */
const FALLBACKS_DEADLINE_MS = 500;

/**
 * What is stored reserves this many numbers after the newest (they follow the clock in ms). A hub that is reset begins
 * after the reserved ones, above every number that it gave out, whatever its clock says.
 */
const RESERVED_ROUNDS = 60_000;

/** What the hub stores. Anything in another shape is ignored. */
const StoredHub = z.object({ memory: HubMemory, breakers: BreakersByName });

const KEPT = 'kept';

/** The shards of the market's stream that listen, by their names. */
const LEASES = 'leases';

/** A listener is sent a round this often at most. */
const PUBLISH_INTERVAL_MS = 1_000;

/** The first number that no hub gave out. It is read by itself, so that it counts when the rest has another shape. */
const Reservation = z.object({ reserved: z.int() }).catch({ reserved: 0 });

/** Books that change by themselves: the venues' as they push them, or those of markets in memory. */
export interface LiveBooks {
  /** Whether they are as of now at any time: on what they do not agree at once, no order waits for them. */
  readonly isInMemory: boolean;
  /** Opens all sockets; repeated, it opens what is lost. */
  open(): void;
  close(): void;
  votes(coin: Coin, now_ms: number): readonly Vote[];
  /** How many sockets are alive that carry the coin; one that was lost less than 5 s ago counts. */
  alive(coin: Coin, now_ms: number): number;
  states(now_ms: number): Readonly<Record<string, StreamState>>;
}

export interface HubSettings {
  /** How long after an order's admission its price must be as of. */
  readonly margin_ms: number;
  /** When the streams are open. */
  readonly streams: 'always' | 'orders' | 'off';
  /** Makes them; `hear` is called when a message came. */
  readonly openBooks: (breakers: CircuitBreakers, hear: () => void) => LiveBooks;
}

export interface SourceStandings {
  readonly sources: Readonly<Record<string, BreakerState>>;
  readonly streams: Readonly<Record<string, StreamState>>;
}

/** The price of an order, and how long after the order's admission it is as of. */
export type RipePrice = OrderPrice & { readonly since_ms: number };

/** The same as a call sends it, which knows no brands. */
type SentPrice = { readonly [Member in Extract<keyof RipePrice, string>]: RipePrice[Member] };

/**
 * The one object that hears and asks the venues for prices. Whatever the number of callers, at most one round is running.
 * Other code calls it through `read-hub.ts`.
 */
export class PriceHub extends DurableObject<Bindings> {
  readonly #breakers: CircuitBreakers;
  readonly #poller: PricePoller;
  readonly #settings: HubSettings;
  readonly #books: LiveBooks;
  /** The number of the newest price of an order. */
  #number: number;
  /** The newest price of each coin. While nothing was heard since, orders share it and its number: none overtakes another. */
  readonly #newest = new Map<Coin, OrderPrice>();
  #reserved: number;
  #memory: HubMemory;
  #polled: readonly Observation[] = [];
  #isKept = true;
  #failed_ms = -Infinity;
  #begun_ms = -Infinity;
  #round: Promise<void> | undefined;
  #polling: Promise<void> | undefined;
  /** What wakes the orders that wait for news. */
  readonly #waiting = new Set<() => void>();
  #hearing: ReturnType<typeof setTimeout> | undefined;
  #lastRead_ms = -Infinity;
  /** Who listens to the rounds, and how often it has said so. Stored, since a hub that is reset must go on. */
  readonly #leases: Map<string, number>;
  #published_ms = -Infinity;
  #lastOrder_ms = -Infinity;
  #alarm_ms = Infinity;
  #fallbacksRead_ms = -Infinity;

  constructor(state: DurableObjectState, bindings: Bindings, sources: readonly PriceSource[], settings: HubSettings) {
    super(state, bindings);
    const stored = state.storage.kv.get(KEPT);
    const kept = StoredHub.safeParse(stored);
    this.#memory = kept.success ? kept.data.memory : emptyMemory;
    this.#reserved = Reservation.parse(stored).reserved;
    const listed = z.array(z.string()).catch([]).parse(state.storage.kv.get(LEASES));
    this.#leases = new Map(listed.map((name) => [name, 0]));
    this.#number = this.#reserved - 1;
    this.#breakers = new CircuitBreakers(kept.success ? kept.data.breakers : {}, () => this.#keep());
    this.#poller = new PricePoller(sources, this.#breakers);
    this.#settings = settings;
    this.#books = settings.openBooks(this.#breakers, () => this.#hear());
  }

  /**
   * All markets: from memory when the last round ended at most `maxAge_ms` ago, else from the running round or a new
   * one, within some 2 s. When nobody answers, it is the last snapshot with its own times.
   */
  async snapshot({ maxAge_ms }: { readonly maxAge_ms: number }): Promise<MarketSnapshot> {
    const now_ms = Date.now();
    this.#lastRead_ms = now_ms;
    await this.#setAlarm(now_ms, WARM_INTERVAL_MS);
    if (this.#needsRound(maxAge_ms, now_ms)) {
      await this.#joinRound();
      if (!this.#isKept) this.#keep();
    }
    return this.#memory.snapshot;
  }

  /**
   * All markets for a shard of the market's stream, which is sent every round from now on until it says that nobody
   * listens.
   */
  async lease(shard: string): Promise<MarketRound> {
    const isNew = !this.#leases.has(shard);
    this.#leases.set(shard, (this.#leases.get(shard) ?? 0) + 1);
    if (isNew) this.#keepLeases();
    const snapshot = await this.snapshot({ maxAge_ms: WARM_INTERVAL_MS });
    // The newest number that was given out: a round that is still on its way to the shard is known to be no newer.
    return { snapshot, round: Math.max(0, this.#number) };
  }

  /**
   * The price of a coin for an order that was admitted `waited_ms` ago: the newest that the venues agree on, as of that
   * moment and the margin. Orders of a coin share what comes. `null` when there is none within 2 s.
   */
  async after({ coin, waited_ms }: { readonly coin: Coin; readonly waited_ms: number }): Promise<SentPrice | null> {
    const admitted_ms = Date.now() - waited_ms;
    const asOf_ms = admitted_ms + this.#settings.margin_ms;
    this.#lastOrder_ms = Date.now();
    this.#streamWhileNeeded();
    const isLate = this.#books.isInMemory && asOf_ms <= Date.now();
    const price = this.#agree(coin, asOf_ms) ?? (isLate ? undefined : await this.#waitForPrice(coin, asOf_ms));
    // In whole milliseconds: half a round trip is part of the moment that a stream's price is as of.
    return price ? { ...price, since_ms: Math.floor(price.asOf_ms - admitted_ms) } : null;
  }

  /** How each source of prices stands, and its stream, by its name. It asks nobody. */
  standings(): Promise<SourceStandings> {
    const now_ms = Date.now();
    return Promise.resolve({ sources: this.#poller.standingsAt(now_ms), streams: this.#books.states(now_ms) });
  }

  /**
   * If there was a reader lately, runs a round before the next reader comes, and stores its result. While streams are
   * needed, keeps the object and opens what was lost. Otherwise lets the hub sleep.
   */
  override async alarm(): Promise<void> {
    const now_ms = Date.now();
    this.#alarm_ms = Infinity;
    this.#streamWhileNeeded();
    if (this.#leases.size === 0 && !isRecent(WARM_TIME_MS, this.#lastRead_ms, now_ms)) return;
    await this.#joinRound();
    if (!this.#isKept) this.#keep();
    await this.#setAlarm(Date.now(), WARM_INTERVAL_MS);
  }

  /** Opens the streams, or closes them when nobody has needed them for a while. */
  #streamWhileNeeded(): void {
    const { streams } = this.#settings;
    if (streams === 'off') return;
    const now_ms = Date.now();
    if (streams === 'orders' && !isRecent(STREAM_TIME_MS, this.#lastOrder_ms, now_ms)) return this.#books.close();
    this.#books.open();
    void this.#setAlarm(now_ms, STREAM_ALARM_MS);
  }

  /** Sets the alarm for then, unless it is set for an earlier time. */
  async #setAlarm(now_ms: number, pause_ms: number): Promise<void> {
    const alarm_ms = now_ms + pause_ms;
    if (this.#alarm_ms <= alarm_ms && this.#alarm_ms > now_ms - STREAM_ALARM_MS) return;
    this.#alarm_ms = alarm_ms;
    try {
      await this.ctx.storage.setAlarm(alarm_ms);
    } catch (error) {
      this.#alarm_ms = Infinity;
      logFault('price_hub_alarm_not_set', { error: describeError(error) });
    }
  }

  /** Looks at all news until there is a price, for 2 s at most. */
  async #waitForPrice(coin: Coin, asOf_ms: number): Promise<OrderPrice | undefined> {
    const end = { isReached: false };
    const timer = setTimeout(() => {
      end.isReached = true;
      this.#wake();
    }, LONGEST_WAIT_MS);
    const pollTimer = setTimeout(() => this.#poll(asOf_ms), POLL_AFTER_MS);
    try {
      for (;;) {
        const news = this.#waitForNews();
        // A socket that was just lost still counts as alive, but has no vote.
        if (this.#books.votes(coin, Date.now()).length < ENOUGH_STREAMS) this.#poll(asOf_ms);
        await news;
        const price = this.#agree(coin, asOf_ms);
        if (price || end.isReached) return price;
      }
    } finally {
      clearTimeout(timer);
      clearTimeout(pollTimer);
    }
  }

  #waitForNews(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.add(resolve));
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** A message came. Those that wait are woken soon, once for all messages of a moment. */
  #hear(): void {
    if (this.#waiting.size === 0 || this.#hearing !== undefined) return;
    this.#hearing = setTimeout(() => {
      this.#hearing = undefined;
      this.#wake();
    }, HEAR_PAUSE_MS);
  }

  /** Begins a round for orders, not before `asOf_ms` and not too soon after the last. Those that wait are woken after it. */
  #poll(asOf_ms: number): void {
    if (this.#polling) return;
    this.#polling = this.#pauseAndPoll(asOf_ms).finally(() => {
      this.#polling = undefined;
      this.#wake();
    });
  }

  async #pauseAndPoll(asOf_ms: number): Promise<void> {
    const now_ms = Date.now();
    const isTooSoon = isRecent(POLL_INTERVAL_MS - 1, this.#begun_ms, now_ms);
    const wait_ms = Math.max(asOf_ms - now_ms, isTooSoon ? this.#begun_ms + POLL_INTERVAL_MS - now_ms : 0);
    if (wait_ms > 0) await new Promise((resolve) => void setTimeout(resolve, wait_ms));
    await tryOrLog('price_round_failed', {}, undefined, () => this.#joinRound());
  }

  /** What the venues agree on now that is as of then, under the next number. Tickers show it, too. */
  #agree(coin: Coin, asOf_ms: number): OrderPrice | undefined {
    const now_ms = Date.now();
    const lastAccepted = this.#memory.accepted[coin];
    // A venue that answers is alive, however old its answer is: it must not make three votes enough.
    const answering = this.#polled.filter(
      ({ ticker, received_ms }) => ticker.coin === coin && isRecent(LONGEST_WAIT_MS, received_ms, now_ms),
    );
    const alive = Math.max(this.#books.alive(coin, now_ms), answering.length);
    const votes = this.#votes(coin, now_ms);
    const tick = agreeOnRipePrice(votes, { coin, asOf_ms, now_ms, alive, lastAccepted });
    if (!tick) return undefined;
    const { price, dispersion, asOf_ms: received_ms } = tick;
    const newest = this.#newest.get(coin);
    if (newest?.asOf_ms === received_ms && newest.price === price && newest.dispersion === dispersion) return newest;
    const agreed = { price, dispersion, received_ms, venueTime_ms: null };
    const { accepted, snapshot } = this.#memory;
    const { shown } = snapshot.markets[coin];
    const market: Market = {
      agreed,
      shown: shown && { ...shown, price, dataTime_ms: received_ms, received_ms, isHeld: false },
    };
    this.#memory = {
      snapshot: { ...snapshot, markets: { ...snapshot.markets, [coin]: market } },
      accepted: { ...accepted, [coin]: agreed },
    };
    const numbered = { ...tick, round: this.#count(now_ms) };
    this.#newest.set(coin, numbered);
    return numbered;
  }

  /** One vote of each venue that has any: of its stream and its last answer, the newer one. */
  #votes(coin: Coin, now_ms: number): readonly Vote[] {
    const polled = this.#polled.filter(({ ticker }) => ticker.coin === coin);
    const votes = [...polled.map((one) => voteOf(one, now_ms)), ...this.#books.votes(coin, now_ms)];
    const newest = new Map<string, Vote>();
    for (const vote of votes) {
      const other = newest.get(vote.venue);
      if (!other || other.vouched_ms <= vote.vouched_ms) newest.set(vote.venue, vote);
    }
    return [...newest.values()];
  }

  /** The next number, which is reserved before a caller sees it. */
  #count(now_ms: number): number {
    this.#number = Math.max(this.#number + 1, now_ms);
    if (this.#number >= this.#reserved) this.#keep();
    return this.#number;
  }

  #needsRound(maxAge_ms: number, now_ms: number): boolean {
    if (isRecent(maxAge_ms, this.#memory.snapshot.taken_ms, now_ms)) return false;
    return this.#round !== undefined || !isRecent(PAUSE_AFTER_FAILURE_MS, this.#failed_ms, now_ms);
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
    // Books in memory are newer than any answer.
    if (!this.#books.isInMemory) this.#polled = observations;
    if (observations.length === 0) this.#failed_ms = now_ms;
    else this.#isKept = false;
    this.#memory = recordRound(this.#memory, observations, now_ms);
    const { markets } = this.#memory.snapshot;
    const isShown = coinSymbols.every((coin) => markets[coin].shown?.isHeld === false);
    if (!isShown) await this.#refreshFallbacks(now_ms);
    this.#publish(Date.now());
  }

  /** Sends the round to who listens; no order and no reader waits for it. */
  #publish(now_ms: number): void {
    if (this.#leases.size === 0 || isRecent(PUBLISH_INTERVAL_MS - 1, this.#published_ms, now_ms)) return;
    this.#published_ms = now_ms;
    const round = { snapshot: this.#memory.snapshot, round: this.#count(now_ms) };
    for (const shard of this.#leases.keys()) this.ctx.waitUntil(this.#publishTo(shard, round));
  }

  /** Sends it to one shard. Where nobody listens any more, and nobody has begun to meanwhile, its lease ends. */
  async #publishTo(shard: string, round: MarketRound): Promise<void> {
    const lease = this.#leases.get(shard);
    await tryOrLog('shard_unreachable', { shard }, undefined, async () => {
      const isHeard = await reachShard(this.env, shard).publish(round);
      if (isHeard || this.#leases.get(shard) !== lease) return;
      this.#leases.delete(shard);
      this.#keepLeases();
    });
  }

  #keepLeases(): void {
    this.ctx.storage.kv.put(LEASES, [...this.#leases.keys()]);
  }

  /** Reads the operator's fallback prices, which are needed only while a price is not shown. The last ones stay otherwise. */
  async #refreshFallbacks(now_ms: number): Promise<void> {
    if (isRecent(FALLBACKS_FRESH_MS - 1, this.#fallbacksRead_ms, now_ms)) return;
    this.#fallbacksRead_ms = now_ms;
    await tryOrLog('fallback_prices_unreadable', {}, undefined, async () => {
      const { fallbackPrices } = await withDeadline(FALLBACKS_DEADLINE_MS, () => readSettings(firstLedger(this.env)));
      const listed = coinSymbols.map((coin) => [coin, parsePrice(fallbackPrices[coin]?.price ?? '')] as const);
      const fallbacks = Object.fromEntries(listed.filter(([, price]) => price !== undefined));
      this.#memory = { ...this.#memory, snapshot: { ...this.#memory.snapshot, fallbacks } };
    });
  }

  /**
   * Stores what an eviction must not lose. If that fails, no reader gets an error: a hub that is reset begins with older
   * prices, and where it numbers its rounds too low, orders are refused as `price_unavailable`.
   */
  #keep(): void {
    this.#isKept = true;
    const reserved = Math.max(this.#reserved, this.#number + RESERVED_ROUNDS);
    try {
      this.ctx.storage.kv.put(KEPT, { memory: this.#memory, breakers: this.#breakers.list(), reserved });
      this.#reserved = reserved;
    } catch (error) {
      logFault('price_hub_not_kept', { error: describeError(error) });
    }
  }
}
