import { describe, expect, test } from 'vitest';
import { readAmount } from '../../console/pages/amount.ts';
import { showCents, showChange, showCoins, showPrice, showRecent } from '../../console/pages/format.ts';

describe('an amount is read as people write it', () => {
  test.each([
    ['1000', '1000'],
    ['1000.50', '1000.5'],
    ['1,000.50', '1000.5'],
    ['1,000,000', '1000000'],
    ['1 000', '1000'],
    ['1\u202F000.5', '1000.5'],
    ["1'000", '1000'],
    ['100.5 ', '100.5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007', '7'],
    ['0.000000000000000001', '0.000000000000000001'],
  ])('%s is %s', (typed, amount) => expect(readAmount(typed)).toEqual({ amount }));

  test.each([
    ['1,000', 'may be 1000 or 1.000'],
    ['1,5', 'Use a point for decimals: 1.5'],
    ['1,00,000', 'without a comma'],
    ['12,34.5', 'without a comma'],
    ['1.000.000', 'one point'],
    ['', 'Type an amount'],
    ['0', 'above zero'],
    ['0.00', 'above zero'],
    ['-5', 'above zero'],
    ['1e3', 'digits and a point'],
    ['.', 'one point'],
  ])('%s is refused with why', (typed, why) => {
    const read = readAmount(typed);
    expect(read.amount).toBeUndefined();
    expect(read.why).toContain(why);
  });
});

test('no value that is something is shown as 0.00', () => {
  const shown = ['0', '0.009', '0.01', '12.3', '-12.345'].map((value) => showCents(value));
  expect(shown).toEqual(['0.00', '< 0.01', '0.01', '12.30', '−12.35']);
});

test.each([
  ['4999.994', '4\u202F999.99', '4\u202F999.99', '5\u202F000.00'],
  ['4999.995', '5\u202F000.00', '4\u202F999.99', '5\u202F000.00'],
  ['5000', '5\u202F000.00', '5\u202F000.00', '5\u202F000.00'],
])('%s is shown as the nearest cent, and never more or less where that would be too much', (value, ...shown) => {
  expect((['near', 'down', 'up'] as const).map((to) => showCents(value, to))).toEqual(shown);
});

test('prices are to the nearest cent, and small ones to five digits that count', () => {
  const prices = ['69450.349', '0.215894', '0.0001234567', '0.9999996', '0.9998', '12', '0'];
  const shown = ['69\u202F450.35', '0.21589', '0.00012346', '1.00', '0.9998', '12.00', '0'];
  expect(prices.map(showPrice)).toEqual(shown);
});

test('coins are shown to the digit, and the money of prices with two decimals at least', () => {
  const shown = [showCoins('4849.5', 'USDT'), showCoins('0.000001', 'USDT'), showCoins('2', 'ETH')];
  expect(shown).toEqual(['4\u202F849.50\u00A0USDT', '0.000001\u00A0USDT', '2\u00A0ETH']);
});

test('the time of something recent has its year only if it is another one', () => {
  const now = new Date(2026, 5, 1);
  const shown = [new Date(2026, 0, 2, 8, 5), new Date(2025, 11, 31, 8, 5)].map((at) =>
    showRecent(at.toISOString(), now),
  );
  expect(shown).toEqual(['2 Jan, 08:05', '31 Dec 2025, 08:05']);
});

test('a change that rounds to nothing has no sign', () => {
  expect([0.0234, -0.0234, -0.00001].map(showChange)).toEqual(['+2.34\u202F%', '−2.34\u202F%', '0.00\u202F%']);
});
