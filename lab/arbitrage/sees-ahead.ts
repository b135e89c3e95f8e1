import type { Atoms } from '../../src/money/amounts.ts';
import type { Coin } from '../../src/money/assets.ts';
import type { Side } from '../../src/orders/terms.ts';
import type { Holder } from './holder.ts';
import { truePrice } from './played-market.ts';
import { moveBetween } from './price-path.ts';
import { type Moment, type Strategy, keyOf, largeQuantity, usdtOf } from './strategy.ts';
import type { Filled, Trader } from './trader.ts';

const COIN: Coin = 'BTC';

/** An order before a move, and the opposite order after it. */
export interface RoundTrip {
  /** The size of the venues' move in that second, up or down. */
  readonly move_bps: number;
  readonly gain: Atoms;
}

export interface SightOptions {
  /** How many seconds before the exchange the client sees the venues. */
  readonly lead: 0 | 1;
  readonly from_bps: number;
}

interface Position {
  readonly side: Side;
  readonly quantity: string;
  readonly filled: Filled;
  readonly move_bps: number;
  readonly step: number;
}

/**
 * A client who sees every venue one second before the exchange does. It buys before a move up and sells after it;
 * before a move down it sells first. Without the lead it trades on the same moves one second later, which is what it
 * would get if orders filled at the first prices that the exchange asked for after they arrived.
 */
export class SeesAhead implements Strategy {
  readonly name: string;
  readonly mustNotGain = false;
  readonly holder: Holder;
  readonly trips: RoundTrip[] = [];
  readonly #options: SightOptions;
  readonly #key: Trader;
  #position: Position | undefined;

  constructor(holder: Holder, options: SightOptions) {
    this.name = `sees ${options.lead} s ahead, trades from ${options.from_bps} bps`;
    this.holder = holder;
    this.#options = options;
    this.#key = keyOf(holder, 0);
  }

  get lead(): SightOptions['lead'] {
    return this.#options.lead;
  }

  async act(moment: Moment): Promise<void> {
    if (this.#position) await this.#close(this.#position, moment.step);
    const { previous, now, next } = moment;
    const [from, to] = this.#options.lead === 1 ? [now, next] : [previous, now];
    // Two orders or none: a position that cannot be closed is a risk.
    if (this.#position || !next || !from || !to || this.#key.left < 2) return;
    const move_bps = moveBetween(from, to);
    if (Math.abs(move_bps) < this.#options.from_bps) return;
    const side = move_bps > 0 ? 'BUY' : 'SELL';
    const quantity = largeQuantity(COIN, truePrice(now, COIN));
    const filled = await this.#key.order({ coin: COIN, side, mode: 'COIN_QTY', value: quantity });
    if (filled) this.#position = { side, quantity, filled, move_bps: Math.abs(move_bps), step: moment.step };
  }

  async #close({ side, quantity, filled, move_bps, step }: Position, now: number): Promise<void> {
    const opposite = side === 'BUY' ? 'SELL' : 'BUY';
    const closed = await this.#key.order({ coin: COIN, side: opposite, mode: 'COIN_QTY', value: quantity });
    if (!closed) return;
    this.#position = undefined;
    const [bought, sold] = side === 'BUY' ? [filled, closed] : [closed, filled];
    if (now === step + 1) this.trips.push({ move_bps, gain: usdtOf(sold) - usdtOf(bought) });
  }
}
