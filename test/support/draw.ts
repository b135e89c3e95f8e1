import { createRandom, mixBits } from '../../src/markets/sandbox-random.ts';
import { type Asset, type AssetNetwork, assets } from '../../src/money/assets.ts';

/** Draws numbers and choices from one seed. */
export class Draw {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = createRandom(seed);
  }

  static ofStep(seed: number, step: number): Draw {
    return new Draw(mixBits(mixBits(seed, 0x51e), step));
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('there is nothing to pick from');
    return value;
  }

  /** One of the names, each as likely as its weight. */
  weigh<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)?.[0] as Name;
  }

  /** A name and its value, each as likely as its weight. */
  choose<Value>(choices: Readonly<Record<string, readonly [weight: number, value: Value]>>): [string, Value] {
    const entries = Object.entries(choices);
    const name = this.weigh(Object.fromEntries(entries.map(([one, [weight]]) => [one, weight])));
    return [name, choices[name]?.[1] as Value];
  }

  /** Does one of several things, each as likely as its weight, and returns what came of it. */
  act<Result>(choices: Readonly<Record<string, readonly [weight: number, act: () => Result]>>): Result {
    return this.choose(choices)[1]();
  }

  /** A part of `whole` between none and all of it. */
  part(whole: bigint): bigint {
    return (whole * BigInt(this.below(1_000_001))) / 1_000_000n;
  }

  /** 32 bytes in hex. */
  hex(): string {
    return Array.from({ length: 64 }, () => this.below(16).toString(16)).join('');
  }

  networkOf(asset: Asset): AssetNetwork {
    return this.pick<AssetNetwork>(assets[asset].networks);
  }
}
