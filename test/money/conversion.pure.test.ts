import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Coin, toCoin, toUsdt } from '../../src/money/assets.ts';
import { forAll } from '../support/for-all.ts';

/** One coin in atoms of the ledger. One USDT is a million atoms, and a price has 8 decimals. */
const coinAtoms: Record<Coin, bigint> = {
  USDC: 1_000_000n,
  BTC: 100_000_000n,
  ETH: 100_000_000n,
  AVAX: 100_000_000n,
  MATIC: 100_000_000n,
  BNB: 100_000_000n,
  LTC: 100_000_000n,
  DOGE: 100_000_000n,
};
const usdtAtoms = 1_000_000n;
const priceUnit = 100_000_000n;

const coins = fc.constantFrom(...(Object.keys(coinAtoms) as Coin[]));
const prices = fc.bigInt({ min: 1n, max: 10n ** 18n });
const amounts = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });

/** Whether `rounded` is the whole number next to dividend / divisor on the side that `rounding` says. */
function isNextTo(rounded: bigint, dividend: bigint, divisor: bigint, rounding: 'down' | 'up'): boolean {
  return rounding === 'down'
    ? rounded * divisor <= dividend && dividend < (rounded + 1n) * divisor
    : (rounded - 1n) * divisor < dividend && dividend <= rounded * divisor;
}

const roundings = ['down', 'up'] as const;

describe.each([
  {
    what: 'the value of a coin’s amount in USDT',
    convert: toUsdt,
    whole: [
      ['BTC', 50_000_000n, 6_000_000_000_000n, 30_000_000_000n],
      ['USDC', 1_000_000n, 99_980_000n, 999_800n],
      ['DOGE', 0n, 10_000_000n, 0n],
    ],
    // One satoshi at 60000.12345678 is 600.0012... atoms.
    between: ['BTC', 1n, 6_000_012_345_678n, 600n],
    divide: (coin: Coin, amount: bigint, price: bigint) => [amount * price * usdtAtoms, coinAtoms[coin] * priceUnit],
  },
  {
    what: 'the amount of a coin for an amount of USDT',
    convert: toCoin,
    whole: [
      ['BTC', 30_000_000_000n, 6_000_000_000_000n, 50_000_000n],
      ['USDC', 1_000_000n, 50_000_000n, 2_000_000n],
    ],
    // One USDT at 30000 is 3333.33... satoshis.
    between: ['BTC', 1_000_000n, 3_000_000_000_000n, 3_333n],
    divide: (coin: Coin, amount: bigint, price: bigint) => [amount * coinAtoms[coin] * priceUnit, price * usdtAtoms],
  },
] as const)('$what', ({ convert, whole, between, divide }) => {
  it('is exact when it is whole, in either rounding', () => {
    for (const [coin, amount, price, result] of whole) {
      for (const rounding of roundings) expect(convert(coin, amount, price, rounding)).toBe(result);
    }
  });

  it('is rounded to the atom below or above', () => {
    const [coin, amount, price, below] = between;
    expect(roundings.map((rounding) => convert(coin, amount, price, rounding))).toEqual([below, below + 1n]);
  });

  it('is off by less than one atom for every coin, amount and price', () => {
    forAll(coins, amounts, prices, fc.constantFrom(...roundings), (coin, amount, price, rounding) => {
      const [dividend = 0n, divisor = 0n] = divide(coin, amount, price);
      expect(isNextTo(convert(coin, amount, price, rounding), dividend, divisor, rounding)).toBe(true);
    });
  });
});

describe('an amount that is converted and back', () => {
  it('is never more than the first amount, when both are rounded down', () => {
    forAll(coins, amounts, prices, (coin, amount, price) => {
      expect(toUsdt(coin, toCoin(coin, amount, price, 'down'), price, 'down') <= amount).toBe(true);
    });
  });
});
