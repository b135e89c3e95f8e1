import type { Coin } from '../../src/money/assets.ts';
import type { Side } from '../../src/orders/terms.ts';
import type { Holder } from './holder.ts';
import { truePrice } from './played-market.ts';
import { type Frame, moveBetween } from './price-path.ts';
import { type Moment, type Strategy, keyOf, largeQuantity, otherSide, tradeOpposite, usdtOf } from './strategy.ts';
import type { Trader } from './trader.ts';

const COIN: Coin = 'BTC';

/** How often the first key looks, in seconds. */
const LOOK_STEPS = 3;

/** How much more than twice the spread the venues must have moved. */
const MARGIN_BPS = 5;

/** The quantity of a look: slightly more than the smallest order. */
const LOOK = '0.00003';

/**
 * One holder with two keys. He looks with the first key, and when the venues have moved, with the second. If each key
 * had a price of its own, he could now buy with one key and sell with the other at a profit. He tries one pair of
 * orders, and if it gained, as many more as the limits of both keys admit.
 */
export class TwoKeys implements Strategy {
  readonly name = 'two keys';
  readonly mustNotGain = true;
  readonly holder: Holder;
  readonly #old: Trader;
  readonly #fresh: Trader;
  readonly #threshold_bps: number;
  #lookedAt: Frame | undefined;
  #nextLook: Side = 'BUY';
  #pairs = 0;

  constructor(holder: Holder, spread_bps: number) {
    this.holder = holder;
    this.#old = keyOf(holder, 0);
    this.#fresh = keyOf(holder, 1);
    this.#threshold_bps = 2 * spread_bps + MARGIN_BPS;
  }

  get pairs(): number {
    return this.#pairs;
  }

  async act({ step, now }: Moment): Promise<void> {
    if (step % LOOK_STEPS === 0) {
      this.#lookedAt = (await this.#look(this.#old)) ? now : undefined;
      return;
    }
    const move_bps = this.#lookedAt === undefined ? 0 : moveBetween(this.#lookedAt, now);
    if (Math.abs(move_bps) < this.#threshold_bps || this.#admitted() < 2) return;
    if (!(await this.#look(this.#fresh))) return;
    const side = move_bps > 0 ? 'BUY' : 'SELL';
    const quantity = largeQuantity(COIN, truePrice(now, COIN));
    if (!(await this.#trade(side, quantity))) return;
    await Promise.all(Array.from({ length: this.#admitted() }, () => this.#trade(side, quantity)));
  }

  #admitted(): number {
    return Math.min(this.#old.left, this.#fresh.left);
  }

  /** Learns the price by trading. Each look undoes the one before. */
  async #look(key: Trader): Promise<boolean> {
    if (key.left < 1) return false;
    const filled = await key.order({ coin: COIN, side: this.#nextLook, mode: 'COIN_QTY', value: LOOK });
    if (filled) this.#nextLook = otherSide[this.#nextLook];
    return filled !== undefined;
  }

  /** Places opposite orders on both keys at once. Returns whether that gained. */
  async #trade(side: Side, quantity: string): Promise<boolean> {
    this.#pairs += 1;
    const [bought, sold] = await tradeOpposite(this.#old, this.#fresh, COIN, side, quantity);
    return bought !== undefined && sold !== undefined && usdtOf(sold) > usdtOf(bought);
  }
}
