import { describe, expect, it, test } from 'vitest';
import { add, divide } from '../../console/pages/exact.ts';
import { averageCosts, differenceOf } from '../../console/pages/gains.ts';
import { valueOverTime } from '../../console/pages/value-over-time.ts';

const move = (
  type: 'SPOT_BUY' | 'SPOT_SELL' | 'P2P_BUY' | 'QUICK_SELL' | 'ONCHAIN_DEPOSIT' | 'ONCHAIN_WITHDRAWAL',
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

test('a settlement costs and gains as an order does', () => {
  const costs = averageCosts([move('P2P_BUY', '2', '100'), move('QUICK_SELL', '1', '80')]);
  expect(costs.get('BTC')).toEqual({ held: '1', cost: '50', gained: '30', lost: '0' });
});

const at = (second: number) => ({ ts: new Date(second * 1_000).toISOString() });

test('the line of value is what was held at each moment, at the prices of then', () => {
  const line = valueOverTime(
    [
      { asset: 'USDT', amount: '140' },
      { asset: 'BTC', amount: '2' },
    ],
    [
      { ...move('ONCHAIN_WITHDRAWAL', '5', '0'), ...at(45), status: 'FAILED' },
      { ...move('SPOT_SELL', '1', '90'), ...at(35) },
      { ...move('ONCHAIN_WITHDRAWAL', '0.9', '80'), ...at(25), fee: '0.1' },
      { ...move('SPOT_BUY', '1', '50'), ...at(15) },
      { ...move('ONCHAIN_DEPOSIT', '3', '0'), ...at(12) },
      { ...move('ONCHAIN_DEPOSIT', '100', '100'), ...at(5), asset: 'USDT' },
    ],
    new Map([
      ['BTC', [0, 10, 20, 30, 40, 50].map((second) => ({ at: second, value: 10 + second }))],
      // Never held, so a price that is missing leaves out no moment.
      ['ETH', [{ at: 50, value: 1 }]],
    ]),
  );
  expect(line).toEqual([
    { at: 10, value: 100 },
    { at: 20, value: 50 + 4 * 30 },
    { at: 30, value: 50 + 3 * 40 },
    { at: 40, value: 140 + 2 * 50 },
    { at: 50, value: 140 + 2 * 60 },
  ]);
});

test('a moment at which a coin that was held had no price is left out', () => {
  const prices = new Map([
    ['BTC', [{ at: 10, value: 5 }]],
    ['ETH', [10, 20].map((second) => ({ at: second, value: 1 }))],
  ]);
  expect(valueOverTime([{ asset: 'BTC', amount: '2' }], [], prices)).toEqual([{ at: 10, value: 10 }]);
});

test.each([
  ['5', '2', '+3'],
  ['2', '5', '−3'],
  ['2', '2', '0'],
])('%s instead of %s is %s', (one, other, difference) => expect(differenceOf(one, other)).toBe(difference));

describe('sums of decimals', () => {
  it.each([
    [['-1.5', '0.25'], '-1.25'],
    [['-0.000001', '0'], '-0.000001'],
    [['-0.0000001', '0'], '-0.0000001'],
    [['1', '-1'], '0'],
    [['-3', '5.5'], '2.5'],
  ])('of %o are below zero where they are', (values, sum) => {
    expect(add(values)).toBe(sum);
  });

  it('are divided towards zero', () => {
    expect([divide('-7', '7', 6), divide('-1', '3', 6), divide('-1', '3', 0)]).toEqual(['-1', '-0.333333', '0']);
  });
});
