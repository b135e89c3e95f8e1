import type { Coin } from '../../src/money/assets.ts';
import type { Price } from '../../src/money/amounts.ts';
import type { VenueName } from '../../test/support/node/venues/venue-state.ts';
import type { Holder } from './holder.ts';
import { type PlayedMarket, truePrice, venuePrice } from './played-market.ts';
import type { Frame } from './price-path.ts';
import { type Moment, type Strategy, keyOf, largeQuantity } from './strategy.ts';

/** The venues whose books the attacker controls. */
const OWN: readonly VenueName[] = ['kucoin', 'gate'];

/**
 * How far apart prices may be and still vote together (src/markets/aggregate.ts) when there are at least three sources.
 */
const BAND_BPS = 50n;

/** The attack runs once in this many seconds of the path, and takes some seconds of real time. */
const EVERY_STEPS = 8;

export interface BookOptions {
  readonly coin: Coin;
  /** The venues that list the coin, the attacker's included. */
  readonly venues: readonly VenueName[];
  readonly mustNotGain: boolean;
}

/**
 * An attacker who controls the books of two venues: pushes them down to the lowest price that still votes and buys,
 * then up to the highest that still votes and sells. The other venues stand still meanwhile.
 */
export class ThinBooks implements Strategy {
  readonly name: string;
  readonly mustNotGain: boolean;
  readonly holder: Holder;
  readonly #options: BookOptions;
  readonly #market: PlayedMarket;

  constructor(holder: Holder, market: PlayedMarket, options: BookOptions) {
    this.name = `${OWN.length} books of ${options.venues.length}`;
    this.mustNotGain = options.mustNotGain;
    this.holder = holder;
    this.#market = market;
    this.#options = options;
  }

  async act({ step, now }: Moment): Promise<void> {
    const { coin } = this.#options;
    const key = keyOf(this.holder, 0);
    if (step % EVERY_STEPS !== 1 || key.left < 2) return;
    const { lowest, highest } = this.#findEdges(now);
    const value = largeQuantity(coin, truePrice(now, coin));
    await this.#push(lowest);
    const bought = await key.order({ coin, side: 'BUY', mode: 'COIN_QTY', value });
    await this.#push(highest);
    if (bought) await key.order({ coin, side: 'SELL', mode: 'COIN_QTY', value });
  }

  #push(price: Price): Promise<void> {
    return this.#market.bend(this.#options.coin, Object.fromEntries(OWN.map((venue) => [venue, price])));
  }

  #findEdges(frame: Frame): { lowest: Price; highest: Price } {
    const { coin, venues } = this.#options;
    const others = venues.filter((venue) => !OWN.includes(venue)).map((venue) => venuePrice(frame, coin, venue));
    const [low, high] = [others.reduce((a, b) => (b < a ? b : a)), others.reduce((a, b) => (b > a ? b : a))];
    const band = 10_000n + BAND_BPS;
    return { lowest: (high * 10_000n) / band + 1n, highest: (low * band) / 10_000n };
  }
}
