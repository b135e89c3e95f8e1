import type { Bindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { type Outcome, type Refusal, accept, overloaded, refuse } from '../http/answer.ts';
import { isRecent, withDeadline } from '../platform/deadline.ts';
import { type Database, openLedger } from '../db/database.ts';
import { SETTINGS_MAX_AGE_MS, type Settings, readSettings } from '../db/settings.ts';
import { FILL_MAX_AGE_MS } from '../markets/firm-price.ts';
import { type HubBindings, readRipePrice } from '../markets/read-hub.ts';
import type { OrderPrice } from '../markets/ripe-price.ts';
import { type Coin, QUOTE_ASSET } from '../money/assets.ts';
import type { TradingContext } from './in-force.ts';
import { type OrderTerms, planOrder } from './plan.ts';
import { DurableObject } from 'cloudflare:workers';
import { ledgerNumberOf } from '../db/record-id.ts';
import { type OrderPreview, showPreview } from './order.ts';
import type { GateCall, GateLoad, GateReply, OrderGate } from './place-order.ts';
import { OrderBatches } from './batches.ts';

/** The age at which settings are fetched again in the background of the next order, which does not wait. */
export const SETTINGS_DUE_MS = 2_000;

/** For how long after the last order they are. */
export const FRESH_TIME_MS = 60_000;

/** D1 itself has no deadline for a read. */
const SETTINGS_DEADLINE_MS = 3_000;

/**
 * The settings that every order of a ledger is planned with. They are held in memory only and fetched in the background:
 * an order waits for them only when they are too old to use.
 */
export class GateSettings {
  readonly #database: Database;
  #settings: { readonly value: Settings; readonly read_ms: number } | undefined;
  #reading: Promise<void> | undefined;
  #lastOrder_ms = -Infinity;
  #isKeptFresh = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Settings that are recent enough. Refuses with `service_unavailable` without them. */
  async take(): Promise<Outcome<Settings>> {
    if (!this.held().ok) await this.#read();
    return this.held();
  }

  /** The same, as they are held now. */
  held(): Outcome<Settings> {
    const settings = this.#settings;
    return settings && isRecent(SETTINGS_MAX_AGE_MS, settings.read_ms, Date.now())
      ? accept(settings.value)
      : overloaded;
  }

  /**
   * Keeps them fresh from now on, until a minute has passed without another call. Resolves when what is due now has been
   * fetched; no order waits for that. Never rejects.
   */
  keepFresh(): Promise<void> {
    this.#lastOrder_ms = Date.now();
    if (!this.#isKeptFresh) {
      this.#isKeptFresh = true;
      this.#waitAndRefresh();
    }
    return this.#refresh();
  }

  #waitAndRefresh(): void {
    setTimeout(() => {
      this.#isKeptFresh = isRecent(FRESH_TIME_MS, this.#lastOrder_ms, Date.now());
      if (this.#isKeptFresh) void this.#refresh().then(() => this.#waitAndRefresh());
    }, SETTINGS_DUE_MS);
  }

  async #refresh(): Promise<void> {
    if (!isRecent(SETTINGS_DUE_MS - 1, this.#settings?.read_ms, Date.now())) await this.#read();
  }

  /** Callers share a read that is under way. Never rejects. */
  #read(): Promise<void> {
    this.#reading ??= this.#fetch().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #fetch(): Promise<void> {
    // The time of the question: later changes may not be in the answer.
    const read_ms = Date.now();
    await tryOrLog('settings_unreadable', {}, undefined, async () => {
      const value = await withDeadline(SETTINGS_DEADLINE_MS, () => readSettings(this.#database));
      this.#settings = { value, read_ms };
    });
  }
}

/** The prices that orders of a ledger fill at, each as of a time by this object's clock, or of a little later. */
class GatePrices {
  readonly #bindings: HubBindings;
  readonly #newest = new Map<Coin, OrderPrice>();

  constructor(bindings: HubBindings) {
    this.#bindings = bindings;
  }

  /**
   * The newest price of a coin that is as of `admitted_ms` and the margin, or `undefined` when there is none after 2 s.
   * The hub is told how long ago that was, and answers how long after it the price is: no clock is compared with another.
   */
  async after(coin: Coin, admitted_ms: number): Promise<OrderPrice | undefined> {
    const ripe = await readRipePrice(this.#bindings, coin, Math.max(0, Date.now() - admitted_ms));
    if (!ripe) return undefined;
    const price = { ...ripe, asOf_ms: admitted_ms + ripe.since_ms };
    if (price.round > (this.#newest.get(coin)?.round ?? 0)) this.#newest.set(coin, price);
    return price;
  }

  /** The price that an order fills at which got this one: a newer one, if another order of the coin has got it since. */
  newest(own: OrderPrice): OrderPrice {
    const newest = this.#newest.get(own.coin);
    return newest && newest.round > own.round && newest.asOf_ms >= own.asOf_ms ? newest : own;
  }
}

/** How many orders may be in the gate at once: about as many as D1 can do before their deadline. */
const ROOM = 512;

/** How many of them may be one account's: the other half is everybody else's. */
const ACCOUNT_ROOM = ROOM / 2;

/** How long after its call the gate may begin with an order. */
const TAKE_UP_MS = 5_000;

/** How many orders' waits are kept for the operator. */
const MEASURED_ORDERS = 100;

const accountIsBusy = refuse('rate_limited', 'Too many orders of this account are under way.', {
  retryAfterSeconds: 1,
});

interface OwnLedger {
  readonly ledger: number;
  readonly settings: GateSettings;
  readonly batches: OrderBatches;
}

/**
 * The gate of one ledger. Every order of its accounts passes through it: it waits there for a price that is as of a
 * moment after its admission, and goes to the database with the others that have theirs. It stores nothing. If two gates
 * of a ledger run at once, as after a restart, the database refuses orders planned at a round of prices older than the
 * coin's newest fill.
 */
export class LedgerGate extends DurableObject<Bindings> implements OrderGate {
  readonly #context: TradingContext;
  readonly #prices: GatePrices;
  readonly #tell: (ledger: number) => void;
  #own: OwnLedger | undefined;
  #waits_ms: readonly number[] = [];
  readonly #orders = new Map<string, { readonly accountId: string; readonly reply: Promise<GateReply> }>();
  /** For an account and an asset that it pays with: when the last order of both has joined a batch, or has ended. */
  readonly #joined = new Map<string, Promise<void>>();

  /** `tell` is called after orders of a coin that is hedged; nobody waits for it. */
  constructor(ctx: DurableObjectState, env: Bindings, context: TradingContext, tell: (ledger: number) => void) {
    super(ctx, env);
    this.#context = context;
    this.#tell = tell;
    this.#prices = new GatePrices(env);
  }

  /**
   * Plans an order at the first price that is as of its admission and the margin, and commits it, with the others that
   * wait. A second call with the same order id, while the first is under way, gets the same reply. Refuses as
   * `planOrder` and `explainOrderRefusal` do, with `rate_limited` when too many orders of its account are in the gate,
   * and with `service_unavailable` when the gate is full, has no settings, or begins with the order after its deadline.
   */
  placeOrder(call: GateCall): Promise<GateReply> {
    const underWay = this.#orders.get(call.orderId);
    if (underWay) return underWay.reply;
    if (this.#orders.size >= ROOM) return Promise.resolve(refusedWith(overloaded));
    if (this.#repliesOf(call.accountId).length >= ACCOUNT_ROOM) return Promise.resolve(refusedWith(accountIsBusy));
    const own = this.#open(ledgerNumberOf(call.orderId));
    const reply = this.#fill(own, call).finally(() => this.#orders.delete(call.orderId));
    this.#orders.set(call.orderId, { accountId: call.accountId, reply });
    void own.settings.keepFresh();
    return reply;
  }

  /** What an order would fill at now; it has no effect. Refuses as `planOrder` does. */
  async preview(ledger: number, terms: OrderTerms): Promise<Outcome<OrderPreview>> {
    const now_ms = Date.now();
    const { settings: own } = this.#open(ledger);
    const [price, settings] = await Promise.all([this.#prices.after(terms.coin, now_ms - FILL_MAX_AGE_MS), own.take()]);
    if (!settings.ok) return settings;
    const planned = planOrder(terms, price, settings.value, this.#context);
    return planned.ok ? accept(showPreview(planned.value, now_ms)) : planned;
  }

  readLoad(): Promise<GateLoad> {
    return Promise.resolve({ orders: this.#orders.size, waits_ms: this.#waits_ms });
  }

  /**
   * Resolves when all orders have ended that an account has in the gate now. What would refuse them, and is the holder's
   * to choose, is done after that: else he could send an order and take it back when the market has moved.
   */
  async awaitOrders(accountId: string): Promise<void> {
    await Promise.allSettled(this.#repliesOf(accountId));
  }

  #repliesOf(accountId: string): Promise<GateReply>[] {
    return [...this.#orders.values()].filter((order) => order.accountId === accountId).map(({ reply }) => reply);
  }

  /**
   * An order waits here for its price, and for no other order but those of its account that came before it and pay with
   * the same asset: a later one, whose coin has its price sooner, would leave it without money.
   */
  async #fill(own: OwnLedger, call: GateCall): Promise<GateReply> {
    const { coin, side } = call.terms;
    const begun_ms = Date.now();
    const admitted_ms = begun_ms - call.waited_ms;
    const purse = `${call.accountId} ${side === 'BUY' ? QUOTE_ASSET : coin}`;
    const before = this.#joined.get(purse);
    const { promise: joined, resolve: join } = Promise.withResolvers<void>();
    this.#joined.set(purse, joined);
    try {
      const [price, settings] = await Promise.all([this.#prices.after(coin, admitted_ms), own.settings.take(), before]);
      if (!settings.ok) return refusedWith(settings);
      if (price) this.#waits_ms = [...this.#waits_ms, Date.now() - admitted_ms].slice(-MEASURED_ORDERS);
      const reply = own.batches.place(call, { admitted_ms, deadline_ms: begun_ms + TAKE_UP_MS, price });
      if (settings.value.coinTerms[coin]?.hedging) void reply.then(() => this.#tell(own.ledger));
      return reply;
    } finally {
      join();
      if (this.#joined.get(purse) === joined) this.#joined.delete(purse);
    }
  }

  /** What the gate has of its ledger, which is that of its first call. Throws for another one. */
  #open(ledger: number): OwnLedger {
    this.#own ??= this.#begin(ledger);
    if (this.#own.ledger !== ledger) throw new Error(`the gate of ledger ${this.#own.ledger} got one of ${ledger}`);
    return this.#own;
  }

  #begin(ledger: number): OwnLedger {
    const database = openLedger(this.env, ledger);
    const settings = new GateSettings(database);
    const batches = new OrderBatches({
      database,
      plan: (terms, price) => {
        const held = settings.held();
        return held.ok ? planOrder(terms, price, held.value, this.#context) : held;
      },
      newest: (price) => this.#prices.newest(price),
      askAnew: (coin) => this.#prices.after(coin, Date.now()),
    });
    return { ledger, settings, batches };
  }
}

function refusedWith(refusal: Refusal): GateReply {
  return { kind: 'refused', refusal };
}
