import { type Coin, scaleOf, toCoin } from '../../src/money/assets.ts';
import { type Atoms, formatAmount, parseAmount, type Price } from '../../src/money/amounts.ts';
import type { Side } from '../../src/orders/terms.ts';
import type { Holder } from './holder.ts';
import type { Frame } from './price-path.ts';
import type { Filled, Trader } from './trader.ts';

/** A second of the path. The exchange fills at its prices. */
export interface Moment {
  readonly step: number;
  readonly previous: Frame | undefined;
  readonly now: Frame;
  /** Only for a client who sees prices early. `undefined` in the last second. */
  readonly next: Frame | undefined;
}

/** A way to try to gain from the exchange without risk. */
export interface Strategy {
  readonly name: string;
  readonly holder: Holder;
  /** Whether Bureau promises that it gains nothing at production's spread. */
  readonly mustNotGain: boolean;
  /** Trades while the exchange goes over to the prices of a second, from just before the venues move until `isOver` aborts. */
  follow?(isOver: AbortSignal, moment: Moment): Promise<void>;
  /** Trades in one second of the path, and returns when it has finished. */
  act(moment: Moment): Promise<void>;
}

/** What one order is worth, in atoms of USDT: below the largest order even after a move of several percent. */
export const NOTIONAL = 45_000_000_000n;

export function largeQuantity(coin: Coin, price: Price): string {
  return formatAmount(toCoin(coin, NOTIONAL, price, 'down'), scaleOf(coin));
}

export function usdtOf({ usdtAmount }: Filled): Atoms {
  return parseAmount(usdtAmount, scaleOf('USDT')) ?? 0n;
}

export function keyOf(holder: Holder, at: number): Trader {
  const key = holder.keys[at];
  if (!key) throw new RangeError(`the holder has no key ${at}`);
  return key;
}

export const otherSide: Readonly<Record<Side, Side>> = { BUY: 'SELL', SELL: 'BUY' };

/**
 * Trades one side with one key and the other side with another, at once: what was bought, and what was sold. Of a single
 * fill the opposite is traded by the same key.
 */
export async function tradeOpposite(
  one: Trader,
  other: Trader,
  coin: Coin,
  side: Side,
  value: string,
): Promise<readonly [bought: Filled | undefined, sold: Filled | undefined]> {
  const order = { coin, mode: 'COIN_QTY', value } as const;
  const opposite = { ...order, side: otherSide[side] };
  const [first, second] = await Promise.all([one.order({ ...order, side }), other.order(opposite)]);
  if (first && !second) await one.order(opposite);
  if (second && !first) await other.order({ ...order, side });
  return side === 'BUY' ? [first, second] : [second, first];
}
