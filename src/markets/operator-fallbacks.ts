import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { withDeadline } from '../platform/deadline.ts';
import { firstLedger } from '../db/database.ts';
import { readSettings } from '../db/settings.ts';
import { coinSymbols } from '../money/assets.ts';
import { parsePrice } from '../money/amounts.ts';
import type { FallbackPrices } from './snapshot.ts';

/** How long a result is used, a failed read too. */
const FRESH_MS = 30_000;

/** Short, because the reader of a ticker waits for it after waiting for the venues. */
const DEADLINE_MS = 500;

/** The operator's fallback prices, for the price hub: read only when somebody needs them, and then twice a minute at most. */
export class OperatorFallbacks {
  readonly #bindings: LedgerBindings;
  #read_ms = -Infinity;

  constructor(bindings: LedgerBindings) {
    this.#bindings = bindings;
  }

  /** The prices that the operator has set; `known` while these are fresh, and when the settings cannot be read. */
  async refresh(known: FallbackPrices, now_ms: number): Promise<FallbackPrices> {
    if (this.#read_ms <= now_ms && now_ms - this.#read_ms < FRESH_MS) return known;
    this.#read_ms = now_ms;
    try {
      const { fallbackPrices } = await withDeadline(DEADLINE_MS, () => readSettings(firstLedger(this.#bindings)));
      const listed = coinSymbols.map((coin) => [coin, parsePrice(fallbackPrices[coin]?.price ?? '')] as const);
      return Object.fromEntries(listed.filter(([, price]) => price !== undefined));
    } catch (error) {
      logFault('fallback_prices_unreadable', { error: describeError(error) });
      return known;
    }
  }
}
