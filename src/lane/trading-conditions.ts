import { describeError, logFault } from '../http/log.ts';
import { type Outcome, accept } from '../http/refusal.ts';
import { openDatabase } from '../ledger/database.ts';
import { SETTINGS_MAX_AGE_MS, readSettings } from '../ledger/settings.ts';
import { firmPrice } from '../markets/firm-price.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import type { Coin } from '../money/assets.ts';
import type { Bindings } from '../env.ts';
import type { TradingConditions } from '../trade/place-order.ts';
import { overloaded } from './execute-once.ts';

/** How old a snapshot the lane asks the price hub for; with its own use of it, a fill's price stays below 5 s. */
export const SNAPSHOT_MAX_AGE_MS = 1_000;

/** Prices and settings as the lane last read them, so that an order right after another asks nobody. */
export class HeldConditions {
  readonly #bindings: Bindings;
  #held: { readonly value: TradingConditions; readonly read_ms: number } | undefined;

  constructor(bindings: Bindings) {
    this.#bindings = bindings;
  }

  /** Those at hand, or new ones, asked for together, when they are too old or hold no firm price of the coin. */
  async read(coin: Coin, now_ms: number): Promise<Outcome<TradingConditions>> {
    const held = this.#held;
    const isUsable =
      held?.value.snapshot &&
      // What was read ahead of the clock was read before the clock went back, nobody knows how long ago.
      held.read_ms <= now_ms &&
      now_ms - held.read_ms <= SETTINGS_MAX_AGE_MS &&
      firmPrice(held.value.snapshot, coin, now_ms) !== undefined;
    if (isUsable) return accept(held.value);
    try {
      const [snapshot, settings] = await Promise.all([
        readSnapshot(this.#bindings.PRICE_HUB, SNAPSHOT_MAX_AGE_MS),
        readSettings(openDatabase(this.#bindings.DB)),
      ]);
      this.#held = { value: { snapshot, settings }, read_ms: now_ms };
      return accept(this.#held.value);
    } catch (error) {
      logFault('settings_unreadable', { error: describeError(error) });
      return overloaded;
    }
  }
}
