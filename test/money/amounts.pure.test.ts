import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AMOUNT_SYNTAX,
  Exact,
  MAX_ATOMS,
  divideDown,
  divideUp,
  floorAmount,
  formatAmount,
  parseAmount,
} from '../../src/money/amounts.ts';
import { forAll } from '../support/for-all.ts';

/** The amount by arithmetic. The code under test moves the decimal point in the digits instead. */
function writeByArithmetic(atoms: bigint, scale: number): string {
  return new Exact(atoms.toString()).div(new Exact(10).pow(scale)).toFixed();
}

function readByArithmetic(text: string, scale: number): bigint | undefined {
  const atoms = new Exact(text).times(new Exact(10).pow(scale));
  return atoms.isInteger() ? BigInt(atoms.toFixed(0)) : undefined;
}

const scales = fc.constantFrom(0, 1, 6, 8, 18);
const digit = fc.constantFrom(...'0123456789'.split(''));

/** The text of an amount as a client may send it, as its two parts. */
const amountParts = fc.record({
  whole: fc.oneof(
    fc.constant('0'),
    fc
      .tuple(fc.constantFrom(...'123456789'.split('')), fc.string({ unit: digit, maxLength: 19 }))
      .map((parts) => parts.join('')),
  ),
  fraction: fc.string({ unit: digit, maxLength: 18 }),
});

function join({ whole, fraction }: { readonly whole: string; readonly fraction: string }): string {
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

describe('the syntax of an amount', () => {
  it.each([
    ['an exponent', '1e3'],
    ['a capital exponent', '1E3'],
    ['hexadecimal', '0x10'],
    ['a digit separator', '1_000'],
    ['infinity', 'Infinity'],
    ['not a number', 'NaN'],
    ['minus zero', '-0'],
    ['a negative number', '-1'],
    ['a plus sign', '+1'],
    ['no whole part', '.5'],
    ['no fraction after the point', '5.'],
    ['a decimal comma', '1,0'],
    ['a thousands separator', '1,000'],
    ['two points', '1.2.3'],
    ['full-width digits', '\uFF11\uFF12'],
    ['Arabic digits', '\u0661\u0662'],
    ['200 digits', '1'.repeat(200)],
    ['21 digits before the point', '1'.repeat(21)],
    ['19 decimals', '1.0000000000000000000'],
    ['a space before', ' 1'],
    ['a space after', '1 '],
    ['a line break after', '1\n'],
    ['nothing', ''],
    ['two zeros', '00'],
    ['a leading zero', '01'],
    ['a fraction written as one', '1/2'],
    ['a currency', '1USDT'],
    ['a zero byte', '1\u0000'],
  ])('refuses %s', (_, text) => {
    expect(AMOUNT_SYNTAX.test(text)).toBe(false);
    expect(() => parseAmount(text, 8)).toThrow(TypeError);
  });

  it.each(['0', '0.0', '1', '10', '0.000000000000000001', '99999999999999999999', '99999999999999999999.999999'])(
    'accepts %s',
    (text) => {
      expect(AMOUNT_SYNTAX.test(text)).toBe(true);
    },
  );
});

describe('reading an amount', () => {
  it('returns whole atoms, exact to the last digit', () => {
    expect(parseAmount('0', 8)).toBe(0n);
    expect(parseAmount('1', 8)).toBe(100_000_000n);
    expect(parseAmount('0.00000001', 8)).toBe(1n);
    expect(parseAmount('0.1', 6)).toBe(100_000n);
    expect(parseAmount('12345678901234567890.123456', 6)).toBe(12_345_678_901_234_567_890_123_456n);
  });

  it('does not count trailing zeros as decimals', () => {
    expect(parseAmount('1.500000000000000000', 6)).toBe(1_500_000n);
    expect(parseAmount('0.000000000000000000', 6)).toBe(0n);
    expect(parseAmount('7.0', 0)).toBe(7n);
  });

  it('returns undefined for more decimals than the asset has, and never a rounded amount', () => {
    expect(parseAmount('0.0000001', 6)).toBeUndefined();
    expect(parseAmount('1.000000000000000001', 8)).toBeUndefined();
    expect(parseAmount('99999999999999999999.999999999999999999', 8)).toBeUndefined();
    expect(parseAmount('0.5', 0)).toBeUndefined();
  });

  it('reads the largest amount of the ledger, and refuses one atom more', () => {
    expect(MAX_ATOMS).toBe(9_223_372_036_854_775_807n);
    expect(parseAmount('92233720368.54775807', 8)).toBe(9_223_372_036_854_775_807n);
    expect(parseAmount('92233720368.54775808', 8)).toBe(9_223_372_036_854_775_808n);
    expect(parseAmount('9223372036854.775807', 6)).toBe(9_223_372_036_854_775_807n);
  });

  it('agrees with arithmetic on any amount, and returns undefined when the result is not whole', () => {
    forAll(amountParts, scales, (parts, scale) => {
      expect(parseAmount(join(parts), scale)).toBe(readByArithmetic(join(parts), scale));
    });
  });
});

describe('reading an amount from a chain', () => {
  it('cuts off decimals that the ledger does not have, and never rounds up', () => {
    expect(floorAmount('1.123456789012345678', 8)).toBe(112_345_678n);
    expect(floorAmount('0.000000019999999999', 8)).toBe(1n);
    expect(floorAmount('0.000000009999999999', 8)).toBe(0n);
    expect(floorAmount('99999999999999999999.999999999999999999', 6)).toBe(99_999_999_999_999_999_999_999_999n);
  });

  it('is exact when there are none to cut off', () => {
    forAll(fc.bigInt({ min: 0n, max: MAX_ATOMS }), scales, (atoms, scale) => {
      expect(floorAmount(formatAmount(atoms, scale), scale)).toBe(atoms);
    });
  });
});

describe('writing an amount', () => {
  it('never writes an exponent, and writes zero as "0"', () => {
    expect(formatAmount(0n, 8)).toBe('0');
    expect(formatAmount(1n, 8)).toBe('0.00000001');
    expect(formatAmount(1n, 18)).toBe('0.000000000000000001');
    expect(formatAmount(10n ** 40n, 0)).toBe(`1${'0'.repeat(40)}`);
    expect(formatAmount(MAX_ATOMS, 8)).toBe('92233720368.54775807');
  });

  it('writes no trailing zeros', () => {
    expect(formatAmount(150_000_000n, 8)).toBe('1.5');
    expect(formatAmount(100_000_000n, 8)).toBe('1');
    expect(formatAmount(1_000_000_000n, 8)).toBe('10');
  });

  it('writes any amount as arithmetic gives it, with the sign of a negative one', () => {
    forAll(fc.bigInt({ min: 1n, max: 2n ** 64n }), scales, (atoms, scale) => {
      expect(formatAmount(atoms, scale)).toBe(writeByArithmetic(atoms, scale));
      expect(formatAmount(-atoms, scale)).toBe(`-${writeByArithmetic(atoms, scale)}`);
    });
  });

  it('returns what was read: every amount stays the same', () => {
    forAll(fc.bigInt({ min: 0n, max: MAX_ATOMS }), scales, (atoms, scale) => {
      const text = formatAmount(atoms, scale);
      expect(text).toMatch(AMOUNT_SYNTAX);
      expect(parseAmount(text, scale)).toBe(atoms);
    });
  });
});

describe('dividing', () => {
  const dividends = fc.bigInt({ min: 0n, max: 10n ** 40n });
  const divisors = fc.bigInt({ min: 1n, max: 10n ** 25n });

  it.each([
    ['down to the largest whole number that is not above the quotient', divideDown, 0n],
    ['up to the smallest whole number that is not below the quotient', divideUp, 1n],
  ])('rounds %s', (_where, divide, up) => {
    forAll(dividends, divisors, (dividend, divisor) => {
      // Between the whole numbers below and above the quotient lies less than one divisor.
      const rest = dividend - (divide(dividend, divisor) - up) * divisor;
      expect(rest >= up && rest < divisor + up).toBe(true);
    });
  });

  it('rounds nothing when the quotient is whole', () => {
    expect([divideDown(12n, 4n), divideUp(12n, 4n), divideUp(0n, 4n)]).toEqual([3n, 3n, 0n]);
  });
});
