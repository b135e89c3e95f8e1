import { z } from 'zod';
import type { Atoms } from '../money/amounts.ts';

/** The parts of a profit. They add up to it. */
export const profitParts = ['spread', 'hedges', 'fees', 'settlements', 'revaluation'] as const;

export type ProfitPart = (typeof profitParts)[number];

/** How many orders, and what each part is, in atoms of USDT as text. */
export const Parts = z.object({
  orders: z.int(),
  spread: z.string(),
  hedges: z.string(),
  fees: z.string(),
  settlements: z.string(),
  revaluation: z.string(),
});

export type Parts = Readonly<z.output<typeof Parts>>;

/** What the house gained on a day (UTC) by a coin. */
export interface ProfitOfDay extends Parts {
  /** Such as `2026-11-21`. */
  readonly day: string;
  readonly coin: string;
}

export const NO_PROFIT: Parts = { orders: 0, spread: '0', hedges: '0', fees: '0', settlements: '0', revaluation: '0' };

/** Parts, of which one has grown. */
export const withPart = (parts: Parts, part: ProfitPart, atoms: Atoms): Parts => ({
  ...parts,
  [part]: (BigInt(parts[part]) + atoms).toString(),
});

/** Orders and parts added up. Pure. */
export function addParts(all: readonly Parts[]): Parts {
  return all.reduce((sum, parts) => {
    const added = profitParts.reduce((total, part) => withPart(total, part, BigInt(parts[part])), sum);
    return { ...added, orders: sum.orders + parts.orders };
  }, NO_PROFIT);
}

/** What all parts add up to: the profit, below zero a loss, in atoms of USDT. Pure. */
export function sumParts(all: readonly Parts[]): Atoms {
  return all.reduce((sum, parts) => profitParts.reduce((total, part) => total + BigInt(parts[part]), sum), 0n);
}

/** The sums of several ledgers added up: each day and coin once, newest day first. Pure. */
export function mergeProfit(days: readonly ProfitOfDay[]): ProfitOfDay[] {
  const sums = new Map<string, ProfitOfDay>();
  for (const { day, coin, ...parts } of days) {
    const name = `${day} ${coin}`;
    sums.set(name, { ...addParts([sums.get(name) ?? NO_PROFIT, parts]), day, coin });
  }
  return [...sums.values()].toSorted((one, other) => (one.day < other.day ? 1 : one.day > other.day ? -1 : 0));
}
