import { createRandom, mixBits } from '../../src/markets/sandbox-random.ts';
import { type Asset, type AssetNetwork, assets } from '../../src/money/assets.ts';

/**
 * The choices of one step. They follow from the seed and the step's number alone, so that whatever an earlier step did
 * or took, this one draws the same.
 */
export class Draw {
  readonly #next: () => number;

  constructor(seed: number, step: number) {
    this.#next = createRandom(mixBits(mixBits(seed, 0x51e), step));
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** A whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new RangeError('there is nothing to pick from');
    return picked;
  }

  /** One of the names, each as likely as its weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
    const entries = Object.entries<number>(weights) as [T, number][];
    let at = this.#next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      at -= weight;
      if (at < 0) return name;
    }
    return entries.at(-1)?.[0] as T;
  }

  /** A part of `whole` between none and all of it. */
  part(whole: bigint): bigint {
    return (whole * BigInt(this.below(1_000_001))) / 1_000_000n;
  }

  /** 32 bytes in hex. */
  hex(): string {
    return Array.from({ length: 64 }, () => this.below(16).toString(16)).join('');
  }
}

/** A network that carries an asset. */
export function drawNetwork(draw: Draw, asset: Asset): AssetNetwork {
  return draw.pick<AssetNetwork>(assets[asset].networks);
}
