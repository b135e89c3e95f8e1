import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type Outcome, accept, overloaded } from '../http/refusal.ts';
import { withDeadline } from '../platform/with-deadline.ts';
import { firstLedger } from '../ledger/ledgers.ts';
import { SETTINGS_MAX_AGE_MS, type Settings, readSettings } from '../ledger/settings.ts';
import { FILL_MAX_AGE_MS, firmPrice } from '../markets/firm-price.ts';
import { type HubBindings, readSnapshot } from '../markets/read-hub.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import type { Coin } from '../money/assets.ts';
import type { TradingConditions } from '../trade/plan-order.ts';

/**
 * The largest age of a snapshot from the price hub. With the time that it is held here, a fill's price stays below 2 s.
 */
const SNAPSHOT_MAX_AGE_MS = 1_000;

/** The age at which they are fetched again in the background of the next order, which does not wait. */
const PRICES_DUE_MS = 500;
const SETTINGS_DUE_MS = 2_000;

/** D1 itself has no deadline for a read. */
const SETTINGS_DEADLINE_MS = 3_000;

/** How often prices and settings are checked while orders come, and for how long after the last order. */
export const FRESH_INTERVAL_MS = 500;
export const FRESH_TIME_MS = 60_000;

/** Where prices and settings come from. */
type GateSources = HubBindings & LedgerBindings;

/**
 * The prices and settings that every order of a ledger is planned at. They are held in memory only and fetched in the
 * background: an order waits for them only when they are too old to use.
 */
export class GateConditions {
  readonly #bindings: GateSources;
  #prices: { readonly snapshot: MarketSnapshot; readonly read_ms: number } | undefined;
  #settings: { readonly value: Settings; readonly read_ms: number } | undefined;
  #readingPrices: Promise<void> | undefined;
  #readingSettings: Promise<void> | undefined;
  #lastOrder_ms = -Infinity;
  #isKeptFresh = false;

  constructor(bindings: GateSources) {
    this.#bindings = bindings;
  }

  /** The conditions for planning an order of a coin now. Refuses with `service_unavailable` without settings. */
  async take(coin: Coin): Promise<Outcome<TradingConditions>> {
    const now_ms = Date.now();
    const isPriced = this.#prices && firmPrice(this.#prices.snapshot, coin, now_ms, FILL_MAX_AGE_MS) !== undefined;
    const isSettled = isWithin(SETTINGS_MAX_AGE_MS, this.#settings?.read_ms, now_ms);
    if (!isPriced || !isSettled) {
      await Promise.all([isPriced || this.#readPrices(), isSettled || this.#readSettings()]);
    }
    return this.held();
  }

  /** Fetches prices of a later round than `round` if the price hub has any. Never rejects. */
  async fetchNewer(round: number): Promise<void> {
    if (this.#prices && this.#prices.snapshot.round <= round) await this.#readPrices();
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
      this.#isKeptFresh = isWithin(FRESH_TIME_MS, this.#lastOrder_ms, Date.now());
      if (!this.#isKeptFresh) return;
      void this.#refresh().then(() => this.#waitAndRefresh());
    }, FRESH_INTERVAL_MS);
  }

  /** Fetches what is due. Never rejects. */
  async #refresh(): Promise<void> {
    const now_ms = Date.now();
    await Promise.all([
      isWithin(PRICES_DUE_MS - 1, this.#prices?.read_ms, now_ms) || this.#readPrices(),
      isWithin(SETTINGS_DUE_MS - 1, this.#settings?.read_ms, now_ms) || this.#readSettings(),
    ]);
  }

  /** What is held now. Refuses with `service_unavailable` without settings that are recent enough. */
  held(): Outcome<TradingConditions> {
    if (!this.#settings || !isWithin(SETTINGS_MAX_AGE_MS, this.#settings.read_ms, Date.now())) return overloaded;
    return accept({ snapshot: this.#prices?.snapshot, settings: this.#settings.value });
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
    if (snapshot) this.#prices = { snapshot, read_ms };
  }

  async #fetchSettings(): Promise<void> {
    // The time of the question: later changes may not be in the answer.
    const read_ms = Date.now();
    try {
      const database = firstLedger(this.#bindings);
      this.#settings = { value: await withDeadline(SETTINGS_DEADLINE_MS, () => readSettings(database)), read_ms };
    } catch (error) {
      logFault('settings_unreadable', { error: describeError(error) });
    }
  }
}

/**
 * Whether something was at most this long ago. A time in the future was recorded before the clock went back, and counts
 * as no.
 */
function isWithin(age_ms: number, time_ms: number | undefined, now_ms: number): boolean {
  return time_ms !== undefined && time_ms <= now_ms && now_ms - time_ms <= age_ms;
}
