import type { Bindings, LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type Outcome, accept, overloaded, refuse } from '../http/answer.ts';
import { isRecent, withDeadline } from '../platform/deadline.ts';
import { type Database, listLedgers, openLedger } from '../db/database.ts';
import { SETTINGS_MAX_AGE_MS, type Settings, readSettings } from '../db/settings.ts';
import { FILL_MAX_AGE_MS, firmPrice } from '../markets/firm-price.ts';
import { type HubBindings, readSnapshot } from '../markets/read-hub.ts';
import { HOLD_MS, isInWindow } from '../markets/round-window.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import type { Coin } from '../money/assets.ts';
import { type TradingConditions, type OrderTerms, type TradingContext, planOrder } from './plan.ts';
import { DurableObject } from 'cloudflare:workers';
import { ledgerNumberOf } from '../db/record-id.ts';
import { type OrderPreview, showPreview } from './order.ts';
import type { GateCall, GateReply, OrderGate } from './place-order.ts';
import { OrderBatches } from './batches.ts';

/**
 * The largest age of a snapshot from the price hub. With the time that it is held here, a fill's price stays below 2 s.
 */
const SNAPSHOT_MAX_AGE_MS = 1_000;

/** The age at which settings are fetched again in the background of the next order, which does not wait. */
const SETTINGS_DUE_MS = 2_000;

/** D1 itself has no deadline for a read. */
const SETTINGS_DEADLINE_MS = 3_000;

/** How often prices are fetched and settings checked while orders come, and for how long after the last order. */
export const FRESH_INTERVAL_MS = 500;
/** The same for one gate of several, which needs the next round before its window begins. */
export const SHARED_INTERVAL_MS = 200;
export const FRESH_TIME_MS = 60_000;

/** How far away a window may begin that orders wait for: no round is given out longer before. */
const LONGEST_WAIT_MS = HOLD_MS;

type GateSources = HubBindings & LedgerBindings;

/**
 * The prices and settings that every order of a ledger is planned at. They are held in memory only and fetched in the
 * background: an order waits for them only when they are too old to use.
 *
 * The only gate of an exchange fills at the newest round. Where there are several ledgers, each gate fills at a round
 * within its window only, so that all of them have one price at every moment.
 */
export class GateConditions {
  readonly #bindings: GateSources;
  readonly #database: Database;
  readonly #isOneOfSeveral: boolean;
  readonly #interval_ms: number;
  /** Rounds by their number. One gate of several also holds those whose windows are not over; the last is the newest. */
  #rounds: readonly MarketSnapshot[] = [];
  #pricesRead_ms: number | undefined;
  #settings: { readonly value: Settings; readonly read_ms: number } | undefined;
  #readingPrices: Promise<void> | undefined;
  #readingSettings: Promise<void> | undefined;
  #lastOrder_ms = -Infinity;
  #isKeptFresh = false;

  constructor(bindings: GateSources, ledger: number) {
    this.#bindings = bindings;
    this.#database = openLedger(bindings, ledger);
    this.#isOneOfSeveral = listLedgers(bindings).length > 1;
    this.#interval_ms = this.#isOneOfSeveral ? SHARED_INTERVAL_MS : FRESH_INTERVAL_MS;
  }

  /** The conditions for planning an order of a coin now. Refuses with `service_unavailable` without settings. */
  async take(coin: Coin): Promise<Outcome<TradingConditions>> {
    const isFirm = (round: MarketSnapshot, at_ms: number) =>
      firmPrice(round, coin, at_ms, FILL_MAX_AGE_MS) !== undefined;
    const isPriced = () => {
      const [round, now_ms] = [this.#present(), Date.now()];
      return round !== undefined && isFirm(round, now_ms);
    };
    const [wasPriced, isSettled] = [isPriced(), this.#isSettled()];
    if (!wasPriced || !isSettled) {
      await Promise.all([wasPriced || this.#readPrices(), isSettled || this.#readSettings()]);
    }
    if (!wasPriced && !isPriced()) await this.#waitFor((round) => isFirm(round, round.window.from_ms));
    return this.held();
  }

  /** Fetches prices of a later round than `round` if the price hub has any, and waits for its window. Never rejects. */
  async fetchNewer(round: number): Promise<void> {
    const newest = this.#rounds.at(-1);
    if (newest && newest.round <= round) await this.#readPrices();
    const present = this.#present();
    if (!present || present.round <= round) await this.#waitFor((one) => one.round > round);
  }

  /**
   * For a moment whose round is not held: resolves when it has been fetched. At every other moment it returns
   * `undefined`. Never rejects.
   */
  untilPriced(): Promise<void> | undefined {
    return this.#isOneOfSeveral && !this.#present() ? this.#findPresent() : undefined;
  }

  async #findPresent(): Promise<void> {
    const isAhead = this.#rounds.some(({ window }) => window.from_ms > Date.now());
    if (!isAhead) await this.#readPrices();
    if (!this.#present()) await this.#waitFor(() => true);
  }

  /** The round of prices that an order fills at now. */
  #present(): MarketSnapshot | undefined {
    if (!this.#isOneOfSeveral) return this.#rounds.at(-1);
    const now_ms = Date.now();
    return this.#rounds.findLast(({ window }) => isInWindow(window, now_ms));
  }

  /**
   * Waits until a round is present that `isMeant`, if one is held whose window begins soon. Settings that have grown too
   * old by then are read again.
   */
  async #waitFor(isMeant: (round: MarketSnapshot) => boolean): Promise<void> {
    if (!this.#isOneOfSeveral) return;
    const now_ms = Date.now();
    const next = this.#rounds.find((round) => round.window.from_ms > now_ms && isMeant(round));
    const wait_ms = next ? next.window.from_ms - now_ms : Infinity;
    if (wait_ms > LONGEST_WAIT_MS) return;
    await this.pause(wait_ms);
    if (!this.#isSettled()) await this.#readSettings();
  }

  /** Whether settings are held that orders may be planned with. */
  #isSettled(): boolean {
    return isRecent(SETTINGS_MAX_AGE_MS, this.#settings?.read_ms, Date.now());
  }

  pause(duration_ms: number): Promise<void> {
    return new Promise((resolve) => void setTimeout(resolve, duration_ms));
  }

  /**
   * Keeps both fresh from now on, until a minute has passed without another call. Resolves when what is due now has
   * been fetched; no order waits for that. Never rejects.
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
      if (!this.#isKeptFresh) return;
      void this.#refresh().then(() => this.#waitAndRefresh());
    }, this.#interval_ms);
  }

  /** Fetches what is due. Never rejects. */
  async #refresh(): Promise<void> {
    const now_ms = Date.now();
    await Promise.all([
      isRecent(this.#interval_ms - 1, this.#pricesRead_ms, now_ms) || this.#readPrices(),
      isRecent(SETTINGS_DUE_MS - 1, this.#settings?.read_ms, now_ms) || this.#readSettings(),
    ]);
  }

  /** What is held now. Refuses with `service_unavailable` without settings that are recent enough. */
  held(): Outcome<TradingConditions> {
    if (!this.#settings || !this.#isSettled()) return overloaded;
    return accept({ snapshot: this.#present(), settings: this.#settings.value });
  }

  /** Callers share a read that is under way. */
  #readPrices(): Promise<void> {
    this.#readingPrices ??= this.#fetchPrices().finally(() => {
      this.#readingPrices = undefined;
    });
    return this.#readingPrices;
  }

  #readSettings(): Promise<void> {
    this.#readingSettings ??= this.#fetchSettings().finally(() => {
      this.#readingSettings = undefined;
    });
    return this.#readingSettings;
  }

  async #fetchPrices(): Promise<void> {
    const read_ms = Date.now();
    const snapshot = await readSnapshot(this.#bindings, SNAPSHOT_MAX_AGE_MS, { forOrders: true });
    if (!snapshot) return;
    this.#rounds = this.#isOneOfSeveral
      ? mergeRounds([...this.#rounds, ...(snapshot.earlier ?? [])], snapshot)
      : [snapshot];
    this.#pricesRead_ms = read_ms;
  }

  async #fetchSettings(): Promise<void> {
    // The time of the question: later changes may not be in the answer.
    const read_ms = Date.now();
    try {
      const value = await withDeadline(SETTINGS_DEADLINE_MS, () => readSettings(this.#database));
      this.#settings = { value, read_ms };
    } catch (error) {
      logFault('settings_unreadable', { error: describeError(error) });
    }
  }
}

/** The newest round behind those before it whose windows are not over, each once, by their numbers. */
function mergeRounds(earlier: readonly MarketSnapshot[], newest: MarketSnapshot): MarketSnapshot[] {
  const now_ms = Date.now();
  // A round that begins later than the newest was taken before the hub's clock went back.
  const kept = earlier.filter(
    ({ round, window }) => round < newest.round && window.until_ms > now_ms && window.until_ms <= newest.window.from_ms,
  );
  const byNumber = new Map(kept.map((snapshot) => [snapshot.round, snapshot]));
  return [...[...byNumber.values()].toSorted((one, other) => one.round - other.round), newest];
}

/** How many orders may be in the gate at once: about as many as D1 can do before their deadline. */
const ROOM = 256;

/**
 * How many of them may be one account's, which has up to 50 keys, and a session for each signed-in device: half of a
 * batch, so the other half is everybody else's.
 */
const ACCOUNT_ROOM = 25;

const accountIsBusy = refuse('rate_limited', 'Too many orders of this account are under way.', {
  retryAfterSeconds: 1,
});

interface OwnLedger {
  readonly ledger: number;
  readonly conditions: GateConditions;
  readonly batches: OrderBatches;
}

/**
 * The gate of one ledger. Every order of its accounts passes through it, so that all are planned at the same prices,
 * and at those of the other ledgers' gates. It stores nothing. If two gates of a ledger run at once, as after a
 * restart, the database refuses orders planned at a round of prices older than the coin's newest fill.
 */
export class LedgerGate extends DurableObject<Bindings> implements OrderGate {
  readonly #context: TradingContext;
  #own: OwnLedger | undefined;
  readonly #orders = new Map<string, { readonly accountId: string; readonly reply: Promise<GateReply> }>();

  constructor(ctx: DurableObjectState, env: Bindings, context: TradingContext) {
    super(ctx, env);
    this.#context = context;
  }

  /**
   * Plans an order at the newest prices and commits it, with the others that wait. A second call with the same order
   * id, while the first is under way, gets the same reply. Refuses as `planOrder` and
   * `explainOrderRefusal` do, with `rate_limited` when too many orders of its account are in the gate, and with
   * `service_unavailable` when the gate is full, has no settings, or begins with the order after its deadline.
   */
  placeOrder(call: GateCall): Promise<GateReply> {
    const underWay = this.#orders.get(call.orderId);
    if (underWay) return underWay.reply;
    if (this.#orders.size >= ROOM) return Promise.resolve({ kind: 'refused', refusal: overloaded });
    if (this.#countOf(call.accountId) >= ACCOUNT_ROOM) {
      return Promise.resolve({ kind: 'refused', refusal: accountIsBusy });
    }
    const own = this.#open(ledgerNumberOf(call.orderId));
    const reply = this.#fill(own, call).finally(() => this.#orders.delete(call.orderId));
    this.#orders.set(call.orderId, { accountId: call.accountId, reply });
    void own.conditions.keepFresh();
    return reply;
  }

  /** What an order would fill at now; it has no effect. Refuses as `planOrder` does. */
  async preview(ledger: number, terms: OrderTerms): Promise<Outcome<OrderPreview>> {
    const conditions = await this.#open(ledger).conditions.take(terms.coin);
    if (!conditions.ok) return conditions;
    const now_ms = Date.now();
    const planned = planOrder(terms, conditions.value, this.#context, now_ms);
    return planned.ok ? accept(showPreview(planned.value, now_ms)) : planned;
  }

  countOrders(): Promise<number> {
    return Promise.resolve(this.#orders.size);
  }

  #countOf(accountId: string): number {
    return [...this.#orders.values()].filter((order) => order.accountId === accountId).length;
  }

  async #fill(own: OwnLedger, call: GateCall): Promise<GateReply> {
    // An order waits here for prices and settings if they are too old, and not in front of others.
    const conditions = await own.conditions.take(call.terms.coin);
    if (!conditions.ok) return { kind: 'refused', refusal: conditions };
    return own.batches.place(call);
  }

  /** What the gate has of its ledger, which is that of its first call. Throws for another one. */
  #open(ledger: number): OwnLedger {
    this.#own ??= this.#begin(ledger);
    if (this.#own.ledger !== ledger) throw new Error(`the gate of ledger ${this.#own.ledger} got one of ${ledger}`);
    return this.#own;
  }

  #begin(ledger: number): OwnLedger {
    const conditions = new GateConditions(this.env, ledger);
    const batches = new OrderBatches({
      database: openLedger(this.env, ledger),
      untilPriced: () => conditions.untilPriced(),
      plan: (terms) => {
        const held = conditions.held();
        return held.ok ? planOrder(terms, held.value, this.#context, Date.now()) : held;
      },
      fetchNewer: (round) => conditions.fetchNewer(round),
    });
    return { ledger, conditions, batches };
  }
}
