import { type Price, formatPrice } from '../money/amounts.ts';
import type { Coin } from '../money/assets.ts';
import type { LiveBooks } from './price-hub.ts';
import type { Vote } from './ripe-price.ts';
import type { PriceSource } from './sources/price-source.ts';

/** The books of markets in memory, which are as of the moment at which they are read. */
export class BooksInMemory implements LiveBooks {
  readonly isInMemory = true;
  readonly #sources: readonly PriceSource[];

  constructor(sources: readonly PriceSource[]) {
    this.#sources = sources;
  }

  open(): void {}

  close(): void {}

  votes(coin: Coin, now_ms: number): readonly Vote[] {
    return this.#sources.flatMap(({ name, readTicker }) => {
      const ticker = readTicker?.(coin, now_ms);
      if (!ticker) return [];
      const { bid, ask } = ticker.book ?? { bid: ticker.price, ask: ticker.price };
      return [{ venue: name, bid: writePrice(bid), ask: writePrice(ask), own_ms: now_ms, vouched_ms: now_ms }];
    });
  }

  /** None that has no vote. */
  alive(): number {
    return 0;
  }

  states(): Readonly<Record<string, never>> {
    return {};
  }
}

function writePrice(price: Price | null): string | null {
  return price === null ? null : formatPrice(price);
}
