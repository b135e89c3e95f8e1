import type { Coin } from '../../src/money/assets.ts';
import type { Side } from '../../src/orders/terms.ts';
import type { Holder } from './holder.ts';
import { truePrice } from './played-market.ts';
import { type Frame, moveBetween } from './price-path.ts';
import { type Moment, type Strategy, keyOf, largeQuantity } from './strategy.ts';
import type { Trader } from './trader.ts';

const COIN: Coin = 'BTC';

export interface SightOptions {
  /** How many seconds before the venues move the client knows it. */
  readonly lead: 0 | 1;
  readonly from_bps: number;
}

interface Position {
  readonly side: Side;
  readonly quantity: string;
}

/**
 * A client who knows the venues' moves. With no lead he hears all of them at once, and his order takes no time: it is sent
 * as they move. With a lead of a second no rule stops him; he shows that the moves would pay. He buys on a move up and
 * sells after it; on a move down he sells first.
 */
export class SeesAhead implements Strategy {
  readonly name: string;
  readonly mustNotGain: boolean;
  readonly holder: Holder;
  readonly #options: SightOptions;
  readonly #key: Trader;
  #position: Position | undefined;

  constructor(holder: Holder, options: SightOptions) {
    const { lead, from_bps } = options;
    this.name = `${lead === 1 ? 'sees 1 s ahead' : 'hears the venues at once'}, trades from ${from_bps} bps`;
    this.mustNotGain = lead === 0;
    this.holder = holder;
    this.#options = options;
    this.#key = keyOf(holder, 0);
  }

  async follow(_isOver: AbortSignal, { previous, now, next }: Moment): Promise<void> {
    if (this.#options.lead === 0 && next) await this.#open(previous, now);
  }

  async act({ now, next }: Moment): Promise<void> {
    if (this.#position) await this.#close(this.#position);
    if (this.#options.lead === 1) await this.#open(now, next);
  }

  async #open(from: Frame | undefined, to: Frame | undefined): Promise<void> {
    // Two orders or none: a position that cannot be closed is a risk.
    if (this.#position || !from || !to || this.#key.left < 2) return;
    const move_bps = moveBetween(from, to);
    if (Math.abs(move_bps) < this.#options.from_bps) return;
    const side = move_bps > 0 ? 'BUY' : 'SELL';
    const quantity = largeQuantity(COIN, truePrice(from, COIN));
    if (await this.#key.order({ coin: COIN, side, mode: 'COIN_QTY', value: quantity }))
      this.#position = { side, quantity };
  }

  async #close({ side, quantity }: Position): Promise<void> {
    const opposite = side === 'BUY' ? 'SELL' : 'BUY';
    const closed = await this.#key.order({ coin: COIN, side: opposite, mode: 'COIN_QTY', value: quantity });
    if (closed) this.#position = undefined;
  }
}
