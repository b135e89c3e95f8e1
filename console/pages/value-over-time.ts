import type { Balance, Transaction } from '../../clients/bureau-client/src/operations.ts';
import type { ChartPoint } from './parts/chart-point.ts';

/** Less than an atom of any coin: what sums of fractions leave of nothing. */
const LEAST = 1e-12;

type Movement = Pick<Transaction, 'type' | 'asset' | 'amount' | 'fee' | 'usdValue' | 'status' | 'ts'>;

/** Whether a movement brought its coin into the account: it was bought there, or came from outside. */
export function isIncoming(type: Transaction['type']): boolean {
  return type.endsWith('BUY') || type.endsWith('DEPOSIT');
}

/** Whether a movement was paid in USDT, at its value. */
export function isTrade(type: Transaction['type']): boolean {
  return type.endsWith('BUY') || type.endsWith('SELL');
}

/** What a movement has changed, by asset. What is under way has left already, and what is to come has not come. */
function changesOf({ type, asset, amount, fee = '0', usdValue, status }: Movement): readonly [string, number][] {
  const isIn = isIncoming(type);
  if (status === 'FAILED' || (isIn && status !== 'COMPLETED')) return [];
  const moved: [string, number] = [asset, isIn ? Number(amount) : -Number(amount) - Number(fee)];
  return isTrade(type) ? [moved, ['USDT', isIn ? -Number(usdValue) : Number(usdValue)]] : [moved];
}

/**
 * What an account was worth in USDT at each time of `lines`, the oldest first: what it holds now less what has moved
 * since, at the prices of then. `movements` are the newest first. It is drawn, so nothing else may go by it.
 */
export function valueOverTime(
  balances: readonly Pick<Balance, 'asset' | 'amount'>[],
  movements: readonly Movement[],
  lines: ReadonlyMap<string, readonly ChartPoint[]>,
): readonly ChartPoint[] {
  const held = new Map<string, number>(balances.map(({ asset, amount }) => [asset, Number(amount)]));
  const prices = [...lines].map(([asset, line]) => [asset, new Map(line.map(({ at, value }) => [at, value]))] as const);
  const times = [...new Set([...lines.values()].flat().map(({ at }) => at))].toSorted((one, other) => other - one);
  let undone = 0;
  const points = times.map((at) => {
    for (; Date.parse(movements[undone]?.ts ?? '') > at * 1_000; undone += 1) {
      const movement = movements[undone];
      if (movement) for (const [asset, by] of changesOf(movement)) held.set(asset, (held.get(asset) ?? 0) - by);
    }
    const coins = prices.reduce((sum, [asset, line]) => {
      const amount = held.get(asset) ?? 0;
      return Math.abs(amount) < LEAST ? sum : sum + amount * (line.get(at) ?? Number.NaN);
    }, 0);
    return { at, value: Math.round(((held.get('USDT') ?? 0) + coins) * 100) / 100 };
  });
  // A moment that a coin has no price of is left out, and so is the rest of a cent that was rounded below nothing.
  const line = points
    .filter(({ value }) => Number.isFinite(value))
    .map(({ at, value }) => ({ at, value: Math.max(0, value) }))
    .toReversed();
  // Before anything came in there is nothing to draw.
  return line.slice(line.findIndex(({ value }) => value > 0));
}
