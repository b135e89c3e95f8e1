import type { HedgingTerms } from '../../src/db/coin-terms.ts';
import { assumeImpact } from '../../src/dealing/judge-spread.ts';
import { type HedgePlan, planHedge } from '../../src/dealing/plan-hedge.ts';
import { type Coin, QUOTE_ASSET, scaleOf, toUsdt } from '../../src/money/assets.ts';
import { type Atoms, type Price, divideDown, divideUp } from '../../src/money/amounts.ts';
import { type Side, fill } from '../../src/orders/terms.ts';
import { MARKET } from '../../test/support/dealing/market.ts';

const COIN: Coin = 'BTC';
const BASIS = 10_000n;

/** An atom of the coin times a step of the price is a whole number of these: nothing is rounded in the sums. */
const GRAINS = 10n ** 10n;

/** The venue has more than any hedge needs. */
const PLENTY = 10n ** 17n;

export interface HouseTerms {
  readonly spread_bps: number;
  readonly hedging: HedgingTerms;
  /** Each has an equal part of the bands. */
  readonly ledgers: number;
}

/** What the house earned and paid, in USDT. They sum to the change of its value. */
export interface Profit {
  readonly spread: number;
  /** What hedges cost beside the middle price, and the venue's fees. */
  readonly impact: number;
  readonly fees: number;
  /** What the moves of the price did to the position. */
  readonly moves: number;
  readonly total: number;
}

interface Ledger {
  position: Atoms;
  since_ms: number | undefined;
}

/**
 * The house of one coin, in virtual time: orders at the middle price and the spread, and hedges as `planHedge` plans them,
 * which a venue fills at the impact that the rule of spreads assumes, and for its fee. Its profit is the sum of its parts
 * to the last grain, else `profit` throws.
 */
export class CoveredHouse {
  readonly #terms: HouseTerms;
  readonly #ledgers: readonly Ledger[];
  #middle: Price;
  /** In grains. */
  #cash = 0n;
  #spread = 0n;
  #impact = 0n;
  #fees = 0n;
  #moves = 0n;
  hedges = 0;
  /** In USDT. */
  hedged = 0;
  largestPosition = 0;

  constructor(terms: HouseTerms, middle: Price) {
    this.#terms = terms;
    this.#ledgers = Array.from({ length: terms.ledgers }, () => ({ position: 0n, since_ms: undefined }));
    this.#middle = middle;
  }

  get #position(): Atoms {
    return this.#ledgers.reduce((sum, { position }) => sum + position, 0n);
  }

  /** The market goes to another middle price. */
  move(middle: Price): void {
    this.#moves += this.#position * (middle - this.#middle);
    this.#middle = middle;
  }

  /** A client's order of so many atoms of USDT. */
  trade(side: Side, usdt: Atoms, ledger = 0): void {
    const spread = BigInt(this.#terms.spread_bps);
    const price =
      side === 'BUY'
        ? divideUp(this.#middle * (BASIS + spread), BASIS)
        : divideDown(this.#middle * (BASIS - spread), BASIS);
    const { coinAmount, usdtAmount } = fill(COIN, side, 'USDT_AMOUNT', usdt, price);
    const bought = side === 'SELL' ? coinAmount : -coinAmount;
    const paid = (side === 'SELL' ? usdtAmount : -usdtAmount) * GRAINS;
    this.#spread += bought * this.#middle - paid;
    this.#exchange(ledger, bought, paid);
  }

  /** The hedger of a ledger looks. Returns when the position will be old enough to be hedged, if it waits for that. */
  look(now_ms: number, ledger = 0): number | undefined {
    const own = this.#ledgers[ledger];
    if (!own) throw new RangeError(`there is no ledger ${ledger}`);
    const { hedging, ledgers } = this.#terms;
    const facts = {
      coin: COIN,
      position: own.position,
      middle: this.#middle,
      terms: hedging,
      part: { share: 1n, whole: BigInt(ledgers) },
      now_ms,
      market: MARKET,
      atVenue: { coin: PLENTY, usdt: PLENTY },
      volumeLeft: null,
    };
    const plan = planHedge({ ...facts, since_ms: own.since_ms });
    if (typeof plan !== 'string') {
      this.#hedge(ledger, plan);
      own.since_ms = undefined;
      return undefined;
    }
    const value = toUsdt(COIN, own.position < 0n ? -own.position : own.position, this.#middle, 'down');
    const isBeyond = Number(value) * ledgers > Number(hedging.inner) * 10 ** scaleOf(QUOTE_ASSET);
    own.since_ms = isBeyond ? (own.since_ms ?? now_ms) : undefined;
    return own.since_ms === undefined ? undefined : own.since_ms + hedging.maxAgeSeconds * 1_000;
  }

  #hedge(ledger: number, { side, coinAmount, limitPrice }: HedgePlan): void {
    const value = Number(toUsdt(COIN, coinAmount, this.#middle, 'down')) / 1e6;
    const away = (Number(this.#middle) * assumeImpact(value)) / 10_000;
    const price = this.#middle + BigInt(Math.round(side === 'BUY' ? away : -away));
    if (side === 'BUY' ? price > limitPrice : price < limitPrice) return;
    const isBuy = side === 'BUY';
    const cost = toUsdt(COIN, coinAmount, price, isBuy ? 'up' : 'down');
    const fee = divideUp(cost * BigInt(this.#terms.hedging.feeBps), BASIS) * GRAINS;
    const [bought, paid] = isBuy ? [coinAmount, cost * GRAINS] : [-coinAmount, -cost * GRAINS];
    this.#impact += paid - bought * this.#middle;
    this.#fees += fee;
    this.#cash -= fee;
    this.hedges += 1;
    this.hedged += value;
    this.#exchange(ledger, bought, paid);
  }

  #exchange(ledger: number, bought: Atoms, paid: bigint): void {
    const own = this.#ledgers[ledger];
    if (!own) throw new RangeError(`there is no ledger ${ledger}`);
    own.position += bought;
    this.#cash -= paid;
    const value = Math.abs(Number(own.position) * Number(this.#middle)) / 1e16;
    this.largestPosition = Math.max(this.largestPosition, value);
  }

  get profit(): Profit {
    const total = this.#spread - this.#impact - this.#fees + this.#moves;
    const value = this.#cash + this.#position * this.#middle;
    if (total !== value) throw new Error(`the parts of the profit sum to ${total}, and the value is ${value}`);
    const [spread, impact, fees, moves] = [this.#spread, this.#impact, this.#fees, this.#moves].map(
      (grains) => Number(grains) / 1e16,
    ) as [number, number, number, number];
    return { spread, impact, fees, moves, total: Number(total) / 1e16 };
  }
}
