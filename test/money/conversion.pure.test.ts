import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Coin, toCoin, toUsdt } from '../../src/money/assets.ts';

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

describe('the value of a coin’s amount in USDT', () => {
  it('is exact when it is whole, in either rounding', () => {
    for (const rounding of ['down', 'up'] as const) {
      expect(toUsdt('BTC', 50_000_000n, 6_000_000_000_000n, rounding)).toBe(30_000_000_000n);
      expect(toUsdt('USDC', 1_000_000n, 99_980_000n, rounding)).toBe(999_800n);
      expect(toUsdt('DOGE', 0n, 10_000_000n, rounding)).toBe(0n);
    }
  });

  it('is rounded to the atom below or above: one satoshi at 60000.12345678 is 600.0012... atoms', () => {
    expect(toUsdt('BTC', 1n, 6_000_012_345_678n, 'down')).toBe(600n);
    expect(toUsdt('BTC', 1n, 6_000_012_345_678n, 'up')).toBe(601n);
  });

  it('is off by less than one atom for every coin, amount and price', () => {
    fc.assert(
      fc.property(coins, amounts, prices, fc.constantFrom('down', 'up'), (coin, amount, price, rounding) => {
        const dividend = amount * price * usdtAtoms;
        const divisor = coinAtoms[coin] * priceUnit;
        expect(isNextTo(toUsdt(coin, amount, price, rounding), dividend, divisor, rounding)).toBe(true);
      }),
    );
  });
});

describe('the amount of a coin for an amount of USDT', () => {
  it('is exact when it is whole, in either rounding', () => {
    for (const rounding of ['down', 'up'] as const) {
      expect(toCoin('BTC', 30_000_000_000n, 6_000_000_000_000n, rounding)).toBe(50_000_000n);
      expect(toCoin('USDC', 1_000_000n, 50_000_000n, rounding)).toBe(2_000_000n);
    }
  });

  it('is rounded to the atom below or above: one USDT at 30000 is 3333.33... satoshis', () => {
    expect(toCoin('BTC', 1_000_000n, 3_000_000_000_000n, 'down')).toBe(3_333n);
    expect(toCoin('BTC', 1_000_000n, 3_000_000_000_000n, 'up')).toBe(3_334n);
  });

  it('is off by less than one atom for every coin, amount and price', () => {
    fc.assert(
      fc.property(coins, amounts, prices, fc.constantFrom('down', 'up'), (coin, amount, price, rounding) => {
        const dividend = amount * coinAtoms[coin] * priceUnit;
        const divisor = price * usdtAtoms;
        expect(isNextTo(toCoin(coin, amount, price, rounding), dividend, divisor, rounding)).toBe(true);
      }),
    );
  });

  it('never converts back to more than the first amount, when both are rounded down', () => {
    fc.assert(
      fc.property(coins, amounts, prices, (coin, amount, price) => {
        expect(toUsdt(coin, toCoin(coin, amount, price, 'down'), price, 'down') <= amount).toBe(true);
      }),
    );
  });
});
