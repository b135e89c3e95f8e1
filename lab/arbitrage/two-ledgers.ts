import { setTimeout as sleep } from 'node:timers/promises';
import type { Coin } from '../../src/money/assets.ts';
import { type Price, parsePrice } from '../../src/money/amounts.ts';
import type { Holder } from './holder.ts';
import { type Strategy, keyOf, largeQuantity, tradeOpposite } from './strategy.ts';
import type { Trader } from './trader.ts';

const COIN: Coin = 'BTC';

/** How often both accounts look at the price, and for how long after the exchange has gone over to new prices. */
const PAUSE_MS = 20;
const AFTER_MS = 500;

/** How much more than twice the spread the prices must differ. */
const MARGIN_BPS = 5;

/** Slightly more than the smallest order. */
const SMALLEST = '0.00003';

/**
 * One holder with two accounts, in two ledgers. Each ledger has a gate of its own, which fetches prices by itself. He
 * asks both accounts at once what an order would fill at, again and again while the market moves. When the prices
 * differ by more than he would pay, he buys with the one account and sells with the other.
 */
export class TwoLedgers implements Strategy {
  readonly name = 'two accounts in two ledgers';
  readonly mustNotGain = true;
  readonly holder: Holder;
  readonly #one: Trader;
  readonly #other: Trader;
  readonly #threshold_bps: bigint;
  #hasBegun = false;
  #looks = 0;
  #pairs = 0;

  constructor(holder: Holder, spread_bps: number) {
    this.holder = holder;
    this.#one = keyOf(holder, 0);
    this.#other = keyOf(holder, 1);
    this.#threshold_bps = BigInt(2 * spread_bps + MARGIN_BPS);
  }

  /** How many times both prices were seen at once, and how many pairs of orders were placed. */
  get looks(): number {
    return this.#looks;
  }

  get pairs(): number {
    return this.#pairs;
  }

  /** A small order on each account at the beginning keeps its ledger's prices fresh. One undoes the other. */
  async act(): Promise<void> {
    const order = { coin: COIN, mode: 'COIN_QTY', value: SMALLEST } as const;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      await Promise.all([this.#one.order({ ...order, side: 'BUY' }), this.#other.order({ ...order, side: 'SELL' })]);
    }
    await this.#watch(AbortSignal.timeout(AFTER_MS));
  }

  /** The prices of the ledgers differ, if ever, while the exchange goes over to new ones. */
  async follow(isOver: AbortSignal): Promise<void> {
    await this.#watch(isOver);
  }

  async #watch(isOver: AbortSignal): Promise<void> {
    while (!isOver.aborted) {
      const [one, other] = await Promise.all([this.#look(this.#one), this.#look(this.#other)]);
      if (one !== undefined && other !== undefined) await this.#compare(one, other);
      await sleep(PAUSE_MS);
    }
  }

  async #look(key: Trader): Promise<Price | undefined> {
    const seen = await key.preview({ coin: COIN, side: 'BUY', mode: 'COIN_QTY', value: SMALLEST });
    return seen && parsePrice(seen.executedPrice);
  }

  async #compare(one: Price, other: Price): Promise<void> {
    this.#looks += 1;
    const [low, high] = one < other ? [one, other] : [other, one];
    if ((high - low) * 10_000n < low * this.#threshold_bps) return;
    if (Math.min(this.#one.left, this.#other.left) < 2) return;
    this.#pairs += 1;
    const side = one < other ? 'BUY' : 'SELL';
    await tradeOpposite(this.#one, this.#other, COIN, side, largeQuantity(COIN, low));
  }
}
