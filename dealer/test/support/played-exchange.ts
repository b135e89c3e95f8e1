import { multiplyUp, readAmount, writeAmount } from '../../src/amounts.ts';

/** A price level of the book. */
interface Level {
  readonly price: bigint;
  size: bigint;
}

export interface PlayedOrder {
  readonly clientId: string | null;
  readonly reference: bigint;
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  readonly amount: bigint;
  readonly price: bigint;
  readonly fills: readonly { readonly price: bigint; readonly amount: bigint }[];
  readonly filled: bigint;
  readonly cost: bigint;
  readonly fee: { readonly asset: string; readonly amount: bigint };
  readonly at_ms: number;
  /** From when on look-ups show it. */
  visible_ms: number;
}

export interface NewOrder {
  readonly clientId: string | null;
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  readonly amount: bigint;
  readonly price: bigint;
}

/** 2^53 + 1, which no JavaScript number can hold. */
const FIRST_REFERENCE = 9_007_199_254_740_993n;

const UNIT = 10n ** 18n;

/** An exchange with one account and its own book, which fills limit orders at once or not at all (IOC). */
export class PlayedExchange {
  readonly now: () => number;
  readonly balances: Map<string, bigint>;
  orders: PlayedOrder[] = [];
  /** How the coin's steps are now. */
  amountStep = '0.00001';
  priceStep = '0.01';
  minCost = '5';
  feeRate = '0.001';
  /** Which asset a fee is paid in: what a purchase brings, always USDT, or another. */
  feeIn: 'received' | 'USDT' | 'BNB' = 'received';
  isOpen = true;
  lag_ms = 0;
  readonly #books = new Map<string, { asks: Level[]; bids: Level[] }>();

  constructor(now: () => number, balances: Readonly<Record<string, string>>) {
    this.now = now;
    this.balances = new Map(Object.entries(balances).map(([asset, amount]) => [asset, readAmount(amount)]));
  }

  /** A book around a price: levels of this size, each one basis point further. */
  makeBook(coin: string, price: string, size: string, levels = 10): void {
    const middle = readAmount(price);
    const at = (sign: bigint) =>
      Array.from({ length: levels }, (_, level) => {
        const step = readAmount(this.priceStep);
        const exact = middle + (sign * middle * BigInt(level + 1)) / 10_000n;
        return { price: (exact / step) * step, size: readAmount(size) };
      });
    this.#books.set(coin, { asks: at(1n), bids: at(-1n) });
  }

  /** Why an order is refused; `undefined` when it may go to the engine. */
  findRefusal({ coin, side, amount, price }: NewOrder): 'steps' | 'too small' | 'no money' | 'closed' | undefined {
    if (!this.isOpen) return 'closed';
    if (amount % readAmount(this.amountStep) !== 0n || price % readAmount(this.priceStep) !== 0n) return 'steps';
    if (multiplyUp(amount, price) < readAmount(this.minCost)) return 'too small';
    const has = this.balances.get(side === 'BUY' ? 'USDT' : coin) ?? 0n;
    return has < (side === 'BUY' ? multiplyUp(amount, price) : amount) ? 'no money' : undefined;
  }

  /** Whether the book has all of it within the limit. */
  canFill({ coin, side, amount, price }: NewOrder): boolean {
    const book = this.#books.get(coin) ?? { asks: [], bids: [] };
    const within = (side === 'BUY' ? book.asks : book.bids).filter((level) =>
      side === 'BUY' ? level.price <= price : level.price >= price,
    );
    return within.reduce((sum, { size }) => sum + size, 0n) >= amount;
  }

  /** Fills what it can of an order that was not refused. */
  execute(order: NewOrder): PlayedOrder {
    const { coin, side, amount, price } = order;
    const book = this.#books.get(coin) ?? { asks: [], bids: [] };
    const fills: { price: bigint; amount: bigint }[] = [];
    let left = amount;
    for (const level of side === 'BUY' ? book.asks : book.bids) {
      if (left === 0n || (side === 'BUY' ? level.price > price : level.price < price)) break;
      const taken = level.size < left ? level.size : left;
      if (taken === 0n) continue;
      level.size -= taken;
      left -= taken;
      fills.push({ price: level.price, amount: taken });
    }
    const filled = amount - left;
    // To eight decimals, as venues show it.
    const cost = fills.reduce((sum, fill) => sum + (fill.amount * fill.price) / UNIT, 0n);
    const feeAsset = this.feeIn === 'received' ? (side === 'BUY' ? coin : 'USDT') : this.feeIn;
    const base = feeAsset === coin ? filled : cost;
    const fee = { asset: feeAsset, amount: multiplyUp(base, readAmount(this.feeRate)) };
    const sign = side === 'BUY' ? 1n : -1n;
    this.#add(coin, sign * filled);
    this.#add('USDT', -sign * cost);
    this.#add(fee.asset, -fee.amount);
    const at_ms = this.now();
    const reference = FIRST_REFERENCE + BigInt(this.orders.length);
    const done = { ...order, reference, fills, filled, cost, fee, at_ms, visible_ms: at_ms + this.lag_ms };
    this.orders.push(done);
    return done;
  }

  /** The newest order with this client's id that look-ups show. */
  find(clientId: string): PlayedOrder | undefined {
    return this.listVisible().findLast((order) => order.clientId === clientId);
  }

  listVisible(): PlayedOrder[] {
    return this.orders.filter(({ visible_ms }) => visible_ms <= this.now());
  }

  /** Forgets its closed orders, as a restart may. */
  forget(): void {
    this.orders = [];
  }

  /** How many orders with this client's id have filled something. */
  countFilled(clientId: string): number {
    return this.orders.filter((order) => order.clientId === clientId && order.filled > 0n).length;
  }

  balance(asset: string): string {
    return writeAmount(this.balances.get(asset) ?? 0n);
  }

  #add(asset: string, amount: bigint): void {
    this.balances.set(asset, (this.balances.get(asset) ?? 0n) + amount);
  }
}
