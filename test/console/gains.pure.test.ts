import { expect, test } from 'vitest';
import { averageCosts, differenceOf } from '../../console/pages/gains.ts';

const move = (
  type: 'SPOT_BUY' | 'SPOT_SELL' | 'ONCHAIN_DEPOSIT' | 'ONCHAIN_WITHDRAWAL',
  amount: string,
  usdValue: string,
) => ({ type, asset: 'BTC', amount, usdValue, status: 'COMPLETED' }) as const;

test('a coin costs the average of what came in, and a sale gains what it brought beyond that', () => {
  const costs = averageCosts([
    move('ONCHAIN_DEPOSIT', '1', '60000'),
    move('SPOT_BUY', '1', '70000'),
    move('SPOT_SELL', '0.5', '40000'),
    move('SPOT_SELL', '0.5', '30000'),
  ]);
  expect(costs.get('BTC')).toEqual({ held: '1', cost: '65000', gained: '7500', lost: '2500' });
});

test('what is sent away takes its cost and its fee along, and gains nothing', () => {
  const costs = averageCosts([
    move('SPOT_BUY', '2', '100'),
    { ...move('ONCHAIN_WITHDRAWAL', '0.9', '60'), fee: '0.1', status: 'PROCESSING' },
  ]);
  expect(costs.get('BTC')).toEqual({ held: '1', cost: '50', gained: '0', lost: '0' });
});

test('what failed, and a deposit that is not credited yet, cost nothing', () => {
  const costs = averageCosts([
    { ...move('ONCHAIN_DEPOSIT', '5', '5'), status: 'PENDING' },
    { ...move('ONCHAIN_WITHDRAWAL', '5', '5'), status: 'FAILED' },
  ]);
  expect(costs.size).toBe(0);
});

test.each([
  ['5', '2', '+3'],
  ['2', '5', '−3'],
  ['2', '2', '0'],
])('%s instead of %s is %s', (one, other, difference) => expect(differenceOf(one, other)).toBe(difference));
