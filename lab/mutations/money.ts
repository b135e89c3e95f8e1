import type { Room } from './mutation.ts';

const amounts = 'test/money/amounts.pure.test.ts';
const prices = 'test/money/prices.pure.test.ts';

export const money: Room = {
  name: 'money',
  file: 'src/money/amounts.ts',
  tests: [amounts],
  mutations: [
    {
      name: 'an amount finer than its asset is rounded instead of refused',
      find: 'return /[1-9]/.test(fraction.slice(scale)) ? undefined : readDigits(whole, fraction, scale);',
      replace: 'return readDigits(whole, fraction, scale);',
    },
    {
      name: 'an amount from a chain is rounded up',
      find: '  return readDigits(whole, fraction, scale);',
      replace: '  return readDigits(whole, fraction, scale) + (fraction.length > scale ? 1n : 0n);',
    },
    {
      name: 'an amount may be negative',
      find: String.raw`/^(0|[1-9]\d{0,19})(\.\d{1,18})?$/`,
      replace: String.raw`/^-?(0|[1-9]\d{0,19})(\.\d{1,18})?$/`,
    },
    {
      name: 'an amount may be followed by anything',
      find: String.raw`(\.\d{1,18})?$/`,
      replace: String.raw`(\.\d{1,18})?/`,
    },
    { name: 'the largest amount is one atom too large', find: '2n ** 63n - 1n', replace: '2n ** 63n' },
    {
      name: 'rounding up ignores the remainder',
      find: 'return (dividend + divisor - 1n) / divisor;',
      replace: 'return dividend / divisor;',
    },
    {
      name: 'rounding up adds an atom when there is no remainder',
      find: '(dividend + divisor - 1n)',
      replace: '(dividend + divisor)',
    },
    {
      name: 'the value in USDT is always rounded down',
      file: 'src/money/assets.ts',
      find: 'return divide[rounding](coinAmount * price * usdtUnit, coinUnit(coin));',
      replace: 'return divide.down(coinAmount * price * usdtUnit, coinUnit(coin));',
      tests: ['test/money/conversion.pure.test.ts'],
    },
    {
      name: 'the value in a coin is always rounded up',
      file: 'src/money/assets.ts',
      find: 'return divide[rounding](usdtAmount * coinUnit(coin), price * usdtUnit);',
      replace: 'return divide.up(usdtAmount * coinUnit(coin), price * usdtUnit);',
      tests: ['test/money/conversion.pure.test.ts'],
    },
    {
      name: 'a price of exactly the upper bound is accepted',
      file: 'src/money/amounts.ts',
      find: 'price.greaterThanOrEqualTo(MAX_PRICE_USDT)',
      replace: 'price.greaterThan(MAX_PRICE_USDT)',
      tests: [prices],
    },
    {
      name: 'a price that rounds to zero is accepted',
      file: 'src/money/amounts.ts',
      find: 'return scaled > 0n ? scaled : undefined;',
      replace: 'return scaled;',
      tests: [prices],
    },
    {
      name: 'the median sorts prices as text',
      file: 'src/money/amounts.ts',
      find: 'prices.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))',
      replace: 'prices.toSorted()',
      tests: [prices],
    },
    {
      name: 'the mean of two prices is rounded down',
      file: 'src/money/amounts.ts',
      find: '(one + other + 1n) / 2n',
      replace: '(one + other) / 2n',
      tests: [prices],
    },
  ],
};
