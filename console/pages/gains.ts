import type { Transaction } from '../../clients/bureau-client/src/operations.ts';
import { isIncoming } from './value-over-time.ts';
import { add, divide, isGreater, multiply, subtract } from './exact.ts';

const DECIMALS = 18;

/** What a coin cost, by the average of all that came in, in USDT. */
export interface Cost {
  readonly held: string;
  /** What those that are held cost. */
  readonly cost: string;
  /** What sales brought beyond what the sold coins had cost, and what they brought less. */
  readonly gained: string;
  readonly lost: string;
}

type Movement = Pick<Transaction, 'type' | 'asset' | 'amount' | 'fee' | 'usdValue' | 'status'>;

const NOTHING: Cost = { held: '0', cost: '0', gained: '0', lost: '0' };

/**
 * What each coin of an account cost on average, from all of its movements, the oldest first. A deposit costs what it was
 * worth when it came; what is sent away takes its average cost along.
 */
export function averageCosts(movements: readonly Movement[]): ReadonlyMap<string, Cost> {
  const costs = new Map<string, Cost>();
  for (const { type, asset, amount, fee = '0', usdValue, status } of movements) {
    const before = costs.get(asset) ?? NOTHING;
    if (status === 'FAILED') continue;
    if (isIncoming(type)) {
      if (status !== 'COMPLETED') continue;
      costs.set(asset, {
        ...before,
        held: add([before.held, amount]),
        cost: add([before.cost, usdValue]),
      });
    } else {
      const left = subtract(before.held, add([amount, fee]));
      const cost = before.held === '0' ? '0' : divide(multiply(before.cost, left, DECIMALS), before.held, DECIMALS);
      const spent = subtract(before.cost, cost);
      const isSale = type.endsWith('SELL');
      costs.set(asset, {
        held: left,
        cost,
        gained: isSale ? add([before.gained, subtract(usdValue, spent)]) : before.gained,
        lost: isSale ? add([before.lost, subtract(spent, usdValue)]) : before.lost,
      });
    }
  }
  return costs;
}

/** The difference of two values with its sign, such as "+12.5". */
export function differenceOf(one: string, other: string): string {
  if (one === other) return '0';
  return isGreater(one, other) ? `+${subtract(one, other)}` : `−${subtract(other, one)}`;
}
