import type { Atoms } from '../../src/money/amounts.ts';
import type { Arena } from './arena.ts';
import type { Frame } from './price-path.ts';
import type { Strategy } from './strategy.ts';

export interface StrategyResult {
  readonly strategy: string;
  readonly mustNotGain: boolean;
  readonly profit: Atoms;
  /** How many orders were filled, and how many were refused, by code. */
  readonly filled: number;
  readonly refused: Readonly<Record<string, number>>;
}

/**
 * Runs all strategies side by side on one path. The path moves on when the exchange fills at the prices of the current
 * second and every strategy has finished, so a second of the path takes a second or more of real time.
 */
export async function playPath(
  { market }: Arena,
  path: readonly Frame[],
  strategies: readonly Strategy[],
): Promise<StrategyResult[]> {
  for (const [step, now] of path.entries()) {
    const moment = { step, previous: path[step - 1], now, next: path[step + 1] };
    const change = new AbortController();
    await Promise.all([
      ...strategies.map((strategy) => strategy.follow?.(change.signal, moment)),
      market.show(now).finally(() => change.abort()),
    ]);
    await Promise.all(strategies.map((strategy) => strategy.act(moment)));
  }
  const last = path.at(-1);
  if (!last) throw new RangeError('a path has at least one second');
  return Promise.all(
    strategies.map(async ({ name, mustNotGain, holder }) => ({
      strategy: name,
      mustNotGain,
      profit: await holder.readProfit(last),
      ...holder.tally,
    })),
  );
}
