import { setTimeout as sleep } from 'node:timers/promises';
import { type Coin, assets, coinSymbols } from '../../src/money/assets.ts';
import { PRICE_SCALE, type Price, formatPrice, parsePrice } from '../../src/money/amounts.ts';
import {
  type CoinChanges,
  type VenueChanges,
  type VenueName,
  prices as firstPrices,
  spellCoins,
  venueNames,
} from '../../test/support/node/venues/venue-state.ts';
import type { Frame } from './price-path.ts';
import type { Trader } from './trader.ts';

/**
 * A coin that no strategy trades. Its price rises by one step with every change of any price, so the price of a sale
 * tells which change the exchange fills at.
 */
const MARKER: Coin = 'DOGE';
const MARKER_STEP = 0.001;

/** A book's bid and ask lie this part of its mid below and above it: 1 bps. */
const BOOK_DIVISOR = 10_000n;

/** How often to check whether the exchange fills at a change, and how long to wait for it. */
const POLL_MS = 40;
const SETTLE_DEADLINE_MS = 10_000;

export interface MarketOptions {
  /** The address of the server of the simulated venues. */
  readonly venueServer: string;
  /** Sells the marker to see what the exchange fills at. */
  readonly observer: Trader;
  readonly spread_bps: number;
  /** The venues that list a coin, when not all of the usual ones do. */
  readonly listings: Readonly<Partial<Record<Coin, readonly VenueName[]>>>;
}

/**
 * The simulated venues as one market. Prices stand still between two changes, and a change is complete when the
 * exchange fills at it. So the speed of the machine has no influence on what a strategy earns.
 */
export class PlayedMarket {
  readonly #options: MarketOptions;
  #changes = 0;
  /** The change that is being sent. One at a time, so that a later one never arrives first. */
  #sending: Promise<void> = Promise.resolve();
  #unsettled = 0;

  constructor(options: MarketOptions) {
    this.#options = options;
  }

  /** How many changes the exchange did not fill at within 10 s. */
  get unsettled(): number {
    return this.#unsettled;
  }

  async show(frame: Frame): Promise<void> {
    await this.#change((venue, coin) => (this.isListed(coin, venue) ? venuePrice(frame, coin, venue) : null));
  }

  /** Sets the price of one coin at some venues, and returns when the exchange fills at it. */
  async bend(coin: Coin, books: Readonly<Partial<Record<VenueName, Price>>>): Promise<void> {
    await this.#change((venue, each) => (each === coin ? books[venue] : undefined));
  }

  isListed(coin: Coin, venue: VenueName): boolean {
    return assets[coin].venueSymbols[venue] !== null && (this.#options.listings[coin]?.includes(venue) ?? true);
  }

  /** Sets prices. `undefined` leaves a price as it is; `null` takes the coin off the venue's list. */
  async #change(priceOf: (venue: VenueName, coin: Coin) => Price | null | undefined): Promise<void> {
    this.#changes += 1;
    const marker = toPrice(Number(firstPrices[MARKER]) * (1 + this.#changes * MARKER_STEP));
    const changes: VenueChanges = Object.fromEntries(
      venueNames.map((venue) => [
        venue,
        {
          markets: spellCoins(
            venue,
            quote((coin) => (coin === MARKER ? marker : priceOf(venue, coin))),
          ),
        },
      ]),
    );
    this.#sending = this.#sending.then(() => this.#send(changes));
    await this.#sending;
    await this.#settle(marker);
  }

  async #send(changes: VenueChanges): Promise<void> {
    const response = await fetch(`${this.#options.venueServer}/control`, {
      method: 'PATCH',
      body: JSON.stringify(changes),
    });
    if (!response.ok) throw new Error(`the played venues: ${response.status}`);
  }

  /**
   * Waits until the marker sells at exactly its new price. While a round has seen the new price at some venues only,
   * the median or the dispersion keeps it below.
   */
  async #settle(marker: Price): Promise<void> {
    const settled = (marker * (10_000n - BigInt(this.#options.spread_bps))) / 10_000n;
    const deadline_ms = Date.now() + SETTLE_DEADLINE_MS;
    while (Date.now() < deadline_ms) {
      const sale = await this.#options.observer.order({ coin: MARKER, side: 'SELL', mode: 'USDT_AMOUNT', value: '1' });
      if (sale && (parsePrice(sale.executedPrice) ?? 0n) >= settled) return;
      await sleep(POLL_MS);
    }
    this.#unsettled += 1;
  }
}

export function truePrice({ truth }: Frame, coin: Coin): Price {
  return toPrice(Number(firstPrices[coin]) * truth);
}

export function venuePrice({ truth, offsets }: Frame, coin: Coin, venue: VenueName): Price {
  return toPrice(Number(firstPrices[coin]) * truth * (1 + offsets[venue]));
}

function toPrice(usdt: number): Price {
  const price = parsePrice(usdt.toFixed(PRICE_SCALE));
  if (price === undefined) throw new RangeError(`${usdt} is no price`);
  return price;
}

/** Books around the mids of all coins. */
function quote(priceOf: (coin: Coin) => Price | null | undefined): CoinChanges {
  return Object.fromEntries(
    coinSymbols.flatMap((coin) => {
      const price = priceOf(coin);
      return price === undefined ? [] : [[coin, price && quoteAround(price)]];
    }),
  );
}

function quoteAround(mid: Price) {
  const half = mid / BOOK_DIVISOR;
  return { price: formatPrice(mid), bid: formatPrice(mid - half), ask: formatPrice(mid + half) };
}
