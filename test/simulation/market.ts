import { vi } from 'vitest';
import type { Observation } from '../../src/markets/aggregate.ts';
import { PriceDesk } from '../../src/markets/price-desk.ts';
import { openSandboxMarket } from '../../src/markets/sandbox-market.ts';
import { type Coin, coinSymbols } from '../../src/money/assets.ts';

/** What the venues do while a step runs. */
export const venueModes = ['agree', 'one_down', 'one_lies', 'all_down', 'disputed', 'two_disputed'] as const;

export type VenueMode = (typeof venueModes)[number];

/** In these no price is firm. */
const withoutPrice: readonly VenueMode[] = ['all_down', 'disputed', 'two_disputed'];

/** How old an agreed price may be where it is used, and how old a snapshot the price hub gives out. */
const FIRM_MS = 5_000;
/** How far the clock may have gone back since. */
const LEAD_MS = 1_000;
const SNAPSHOT_MS = 1_000;

interface Reading {
  readonly time_ms: number;
  readonly mode: VenueMode;
}

/** The venues' prices as the sandbox makes them, bent as a step wants them, and which of them may be traded at. */
export class Market {
  mode: VenueMode = 'agree';
  struck = 0;
  #readings: Reading[] = [];
  readonly #markets = new Map(coinSymbols.map((coin) => [coin, openSandboxMarket(coin)]));

  install(): void {
    const ask = PriceDesk.prototype.ask;
    const bend = (observations: Observation[]) => this.#bend(observations);
    const record = () => this.#readings.push({ time_ms: Date.now(), mode: this.mode });
    vi.spyOn(PriceDesk.prototype, 'ask').mockImplementation(async function bent(this: PriceDesk) {
      record();
      return bend(await ask.call(this));
    });
  }

  /** Begins a step: from now on the venues answer so. */
  read(mode: VenueMode): void {
    this.mode = mode;
    this.struck = 0;
    this.#readings = this.#readings.slice(-50);
  }

  /** The rounds of questions so far, and the one that may come now. */
  get #rounds(): readonly Reading[] {
    return [...this.#readings, { time_ms: Date.now(), mode: this.mode }];
  }

  /** Every price of a coin that an order may be filled at now (I9), in 1e-8 USDT; the last is the newest. */
  firmPrices(coin: Coin): bigint[] {
    const now_ms = Date.now();
    const fresh = this.#rounds.filter(({ time_ms }) => time_ms <= now_ms + LEAD_MS && now_ms - time_ms <= FIRM_MS);
    const prices = fresh
      .filter(({ mode }) => !withoutPrice.includes(mode))
      .flatMap(({ time_ms, mode }) => this.#agreedPrices(coin, time_ms, mode));
    return [...new Set(prices)];
  }

  /** When the venues were asked, for a report. */
  describe(): string {
    return this.#readings.map(({ time_ms, mode }) => `${mode} ${Date.now() - time_ms} ms ago`).join(', ');
  }

  /** Whether there may be no firm price now. */
  mayBeWithoutPrice(): boolean {
    const now_ms = Date.now();
    return this.#rounds.some(({ time_ms, mode }) => withoutPrice.includes(mode) && now_ms - time_ms <= SNAPSHOT_MS);
  }

  /** The sandbox's venues stand at -3, 0 and +2 hundredths of a percent; the last is the one that fails. */
  #agreedPrices(coin: Coin, time_ms: number, mode: VenueMode): bigint[] {
    const price = this.#markets.get(coin)?.priceAt(time_ms) ?? 0n;
    if (mode === 'agree') return [price];
    const low = (price * 9_997n) / 10_000n;
    return [(low + price + 1n) / 2n];
  }

  #bend(observations: Observation[]): Observation[] {
    if (this.mode !== 'agree') this.struck += 1;
    const times = (factors: Readonly<Record<string, bigint>>) =>
      observations.map((observation) => {
        const { ticker, source } = observation;
        return { ...observation, ticker: { ...ticker, price: ticker.price * (factors[source] ?? 1n) } };
      });
    switch (this.mode) {
      case 'agree':
        return observations;
      case 'one_down':
        return observations.filter(({ source }) => source !== 'sandbox-c');
      case 'one_lies':
        return times({ 'sandbox-c': 1_000n });
      case 'all_down':
        return [];
      case 'disputed':
        return times({ 'sandbox-b': 2n, 'sandbox-c': 3n });
      case 'two_disputed':
        return times({ 'sandbox-c': 1_000n }).filter(({ source }) => source !== 'sandbox-b');
    }
  }
}
