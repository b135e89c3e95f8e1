import { vi } from 'vitest';
import type { Observation } from '../../src/markets/aggregate.ts';
import { BooksInMemory } from '../../src/markets/books-in-memory.ts';
import { PricePoller } from '../../src/markets/price-poller.ts';
import type { Vote } from '../../src/markets/ripe-price.ts';
import { openSandboxMarket } from '../../src/markets/sandbox-market.ts';
import { formatPrice, parsePrice } from '../../src/money/amounts.ts';
import { type Coin, coinSymbols } from '../../src/money/assets.ts';

/** What the venues do while a step runs. */
export const venueModes = ['agree', 'one_down', 'one_lies', 'all_down', 'disputed', 'two_disputed'] as const;

export type VenueMode = (typeof venueModes)[number];

/** In these modes no price is firm. */
const withoutPrice: readonly VenueMode[] = ['all_down', 'disputed', 'two_disputed'];

/** In these, orders have none: where four venues answer, all four must be near each other. */
const withoutFill: readonly VenueMode[] = [...withoutPrice, 'one_lies'];

/** The greatest age of an agreed price that values a withdrawal. */
export const VALUE_MS = 5_000;
/** How far in the future a time of receipt may be after the clock went back. */
const LEAD_MS = 1_000;
/** The greatest age of a snapshot that the price hub returns. */
const SNAPSHOT_MS = 1_000;

interface Reading {
  /** The number of the round, in the order in which the venues were asked. */
  readonly round: number;
  readonly time_ms: number;
  readonly mode: VenueMode;
}

/** A price that an order may fill at, before spread and dispersion. */
export interface FillPrice {
  readonly round: number;
  readonly price: bigint;
  /** The dispersion of the agreeing venues. */
  readonly dispersion: bigint;
  /** Whether four venues agreed: at a price of three, an order is at most a tenth of the largest. */
  readonly isOfMany: boolean;
}

/** The venues' prices: the sandbox's, changed as a step wants them. It also knows which prices orders may fill at. */
export class Market {
  mode: VenueMode = 'agree';
  injected = 0;
  #readings: Reading[] = [];
  #rounds = 0;
  /** The round of the newest fill of each coin: none of an older one may follow (I13). */
  readonly #filled = new Map<Coin, number>();
  /** The middle prices that fills may have had. */
  readonly #middles = new Set<string>();
  readonly #markets = new Map(coinSymbols.map((coin) => [coin, openSandboxMarket(coin)]));

  install(): void {
    const { ask } = PricePoller.prototype;
    const { votes } = BooksInMemory.prototype;
    const bendTickers = (observations: readonly Observation[]) => this.#bend(observations, sourceOf, timesTicker);
    const bendVotes = (read: readonly Vote[]) => this.#bend(read, venueOf, timesVote);
    const record = () => {
      this.#rounds += 1;
      this.#readings.push({ round: this.#rounds, time_ms: Date.now(), mode: this.mode });
    };
    vi.spyOn(PricePoller.prototype, 'ask').mockImplementation(async function bent(this: PricePoller) {
      record();
      return bendTickers(await ask.call(this));
    });
    vi.spyOn(BooksInMemory.prototype, 'votes').mockImplementation(function bent(this: BooksInMemory, coin, now_ms) {
      record();
      return bendVotes(votes.call(this, coin, now_ms));
    });
  }

  /** Begins a step, in which the venues behave as the mode says. */
  read(mode: VenueMode): void {
    this.mode = mode;
    this.injected = 0;
    this.#readings = this.#readings.slice(-50);
  }

  get #questions(): readonly Reading[] {
    return [...this.#readings, { round: this.#rounds + 1, time_ms: Date.now(), mode: this.mode }];
  }

  /** The rounds of at most this age whose prices were agreed on. */
  #listFirm(age_ms: number): Reading[] {
    const now_ms = Date.now();
    return this.#questions
      .filter(({ time_ms }) => time_ms <= now_ms + LEAD_MS && now_ms - time_ms <= age_ms)
      .filter(({ mode }) => !withoutPrice.includes(mode));
  }

  /** Every price of a coin that a withdrawal may be valued at now, in 1e-8 USDT; the last is the newest. */
  firmPrices(coin: Coin): bigint[] {
    return [...new Set(this.#listFirm(VALUE_MS).map((reading) => this.#agree(coin, reading).price))];
  }

  /**
   * Every price at which an order for the coin may fill that is admitted now: none that was asked for before (I9), and
   * none of a round before the newest fill's (I13).
   */
  fillPrices(coin: Coin): FillPrice[] {
    const newest = this.#filled.get(coin) ?? 0;
    return this.#listFirm(0)
      .filter(({ round, time_ms, mode }) => round >= newest && time_ms === Date.now() && !withoutFill.includes(mode))
      .map((reading) => this.#agree(coin, reading));
  }

  noteMiddle(coin: Coin, middle: bigint): void {
    this.#middles.add(`${coin} ${middle}`);
  }

  noteFill(coin: Coin, rounds: readonly number[]): void {
    this.#filled.set(coin, Math.max(this.#filled.get(coin) ?? 0, Math.min(...rounds)));
  }

  hasFilledAt(coin: Coin, middle: bigint): boolean {
    return this.#middles.has(`${coin} ${middle}`);
  }

  /** The times at which the venues were asked, for a report. */
  describe(): string {
    return this.#readings.map(({ time_ms, mode }) => `${mode} ${Date.now() - time_ms} ms ago`).join(', ');
  }

  /** Whether a snapshot of at most this age may have no firm price. */
  mayBeWithoutPrice(age_ms = SNAPSHOT_MS): boolean {
    const now_ms = Date.now();
    return this.#questions.some(({ time_ms, mode }) => withoutPrice.includes(mode) && now_ms - time_ms <= age_ms);
  }

  /** The same for an order that is admitted now. */
  mayBeWithoutFill(): boolean {
    return this.#questions.some(({ time_ms, mode }) => withoutFill.includes(mode) && time_ms >= Date.now());
  }

  /** The sandbox's venues differ by -3, 0, 0 and +2 hundredths of a percent. The last one is the one that fails. */
  #agree(coin: Coin, { round, time_ms, mode }: Reading): FillPrice {
    const price = this.#markets.get(coin)?.priceAt(time_ms) ?? 0n;
    const low = (price * 9_997n) / 10_000n;
    const high = mode === 'agree' ? (price * 10_002n) / 10_000n : price;
    return { round, price, dispersion: high - low, isOfMany: mode !== 'one_down' };
  }

  /** What the venues say, as the mode has it: `times` makes what a venue says so many times as high. */
  #bend<Said>(
    said: readonly Said[],
    venueOf: (one: Said) => string,
    times: (one: Said, factor: bigint) => Said,
  ): Said[] {
    if (this.mode !== 'agree') this.injected += 1;
    const raise = (factors: Readonly<Record<string, bigint>>) =>
      said.map((one) => times(one, factors[venueOf(one)] ?? 1n));
    const only =
      (...venues: readonly string[]) =>
      (one: Said) =>
        venues.includes(venueOf(one));
    const bent: Record<VenueMode, () => Said[]> = {
      agree: () => [...said],
      one_down: () => said.filter(only('sandbox-a', 'sandbox-b', 'sandbox-c')),
      one_lies: () => raise({ 'sandbox-d': 1_000n }),
      all_down: () => [],
      disputed: () => raise({ 'sandbox-b': 2n, 'sandbox-c': 3n }),
      two_disputed: () => raise({ 'sandbox-d': 1_000n }).filter(only('sandbox-a', 'sandbox-d')),
    };
    return bent[this.mode]();
  }
}

const venueOf = ({ venue }: Vote) => venue;
const sourceOf = ({ source }: Observation) => source;

function timesVote(vote: Vote, factor: bigint): Vote {
  const raise = (price: string | null) => price && formatPrice((parsePrice(price) ?? 0n) * factor);
  return { ...vote, bid: raise(vote.bid), ask: raise(vote.ask) };
}

function timesTicker(observation: Observation, factor: bigint): Observation {
  const { ticker } = observation;
  const raise = (price: bigint | null) => price && price * factor;
  const book = ticker.book && { bid: raise(ticker.book.bid), ask: raise(ticker.book.ask) };
  return { ...observation, ticker: { ...ticker, price: ticker.price * factor, book } };
}
