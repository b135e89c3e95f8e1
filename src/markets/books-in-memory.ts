import type { Coin } from '../money/assets.ts';
import type { LiveBooks } from './price-hub.ts';
import { type Vote, voteOf } from './ripe-price.ts';
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
      return [voteOf({ source: name, asOf_ms: now_ms, received_ms: now_ms, isRepeat: false, ticker }, now_ms)];
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
