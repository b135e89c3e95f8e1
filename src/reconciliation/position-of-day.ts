import type { Coin } from '../money/assets.ts';

/** What the house had of a coin beyond its capital at the end of a day (UTC), in atoms as text. */
export interface PositionOfDay {
  readonly day: string;
  readonly coin: Coin;
  readonly position: string;
  /** In atoms of USDT, at the last price known on that day; `null` when there was none yet. */
  readonly value: string | null;
}

const add = (one: string, other: string) => (BigInt(one) + BigInt(other)).toString();

/** The positions of several ledgers added up: each day and coin once, newest day first. Pure. */
export function mergePositions(all: readonly PositionOfDay[]): PositionOfDay[] {
  const sums = new Map<string, PositionOfDay>();
  for (const one of all) {
    const name = `${one.day} ${one.coin}`;
    const { position, value } = sums.get(name) ?? { position: '0', value: '0' };
    sums.set(name, {
      ...one,
      position: add(position, one.position),
      value: value === null || one.value === null ? null : add(value, one.value),
    });
  }
  return [...sums.values()].toSorted((one, other) => (one.day < other.day ? 1 : one.day > other.day ? -1 : 0));
}
