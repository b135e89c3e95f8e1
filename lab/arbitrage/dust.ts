import { type Coin, scaleOf, toCoin } from '../../src/money/assets.ts';
import { formatAmount } from '../../src/money/amounts.ts';
import type { Mode, Side } from '../../src/orders/terms.ts';
import { Draw } from '../../test/support/draw.ts';
import type { Holder } from './holder.ts';
import { truePrice } from './played-market.ts';
import { type Moment, type Strategy, keyOf } from './strategy.ts';
import type { Trader, Wish } from './trader.ts';

/** The coin whose smallest unit is worth the most, so a rounding error in it would pay the most. */
const COIN: Coin = 'BTC';

/** What an order is worth, in atoms of USDT. It stays above the smallest order after the spread is taken off. */
const SMALLEST = 1_015_000;
const LARGEST = 1_100_000;

const AT_ONCE = 8;

const modes: readonly Mode[] = ['COIN_QTY', 'USDT_AMOUNT'];

/**
 * Places thousands of the smallest orders, by quantity and by value, with amounts to the last decimal, in the hope that
 * roundings favour the client. Buys and sells alternate, so the market's moves gain nothing. Its key has raised limits.
 */
export class Dust implements Strategy {
  readonly name = 'dust';
  readonly mustNotGain = true;
  readonly holder: Holder;
  readonly #key: Trader;
  readonly #draw: Draw;
  readonly #perStep: number;

  /** `perStep` is the number of orders in each second. */
  constructor(holder: Holder, seed: number, perStep: number) {
    this.holder = holder;
    this.#key = keyOf(holder, 0);
    this.#draw = new Draw(seed);
    this.#perStep = perStep;
  }

  async act(moment: Moment): Promise<void> {
    const sides = Array.from({ length: this.#perStep }, (_, at): Side => (at % 2 === 0 ? 'BUY' : 'SELL'));
    const wishes = sides.map((side) => this.#wish(moment, side));
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let wish = wishes.pop(); wish; wish = wishes.pop()) await this.#key.order(wish);
      }),
    );
  }

  #wish({ now }: Moment, side: Side): Wish {
    const mode = this.#draw.pick(modes);
    const usdt = BigInt(this.#draw.between(SMALLEST, LARGEST));
    const value =
      mode === 'USDT_AMOUNT'
        ? formatAmount(usdt, scaleOf('USDT'))
        : formatAmount(toCoin(COIN, usdt, truePrice(now, COIN), 'down'), scaleOf(COIN));
    return { coin: COIN, side, mode, value };
  }
}
