import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeFraction,
  formatPrice,
  meanPrice,
  medianPrice,
  parsePrice,
  parseVolume,
  priceBeforeChange,
  priceBeforePercent,
} from '../../src/money/amounts.ts';
import { forAll } from '../support/for-all.ts';

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), maxLength });
const prices = fc.bigInt({ min: 1n, max: 10n ** 18n });

describe('reading a price', () => {
  it.each([
    ['a price with 8 decimals', '65000.12345678', 6_500_012_345_678n],
    ['a whole number', '1', 100_000_000n],
    ['trailing zeros', '1.50000000000000', 150_000_000n],
    ['the smallest price', '0.00000001', 1n],
    ['an exponent', '6.5e4', 6_500_000_000_000n],
    ['a signed exponent', '6.5E+4', 6_500_000_000_000n],
    ['a negative exponent', '1e-8', 1n],
    ['half an atom, which counts as one', '0.000000005', 1n],
    ['a ninth decimal of 5, rounded up', '1.000000005', 100_000_001n],
    ['a ninth decimal of 4, rounded down', '1.000000004999999999', 100_000_000n],
    ['the largest price', '9999999999.99999999', 999_999_999_999_999_999n],
  ])('reads %s', (_, text, price) => {
    expect(parsePrice(text)).toBe(price);
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' '],
    ['a blank before', ' 1'],
    ['a line break after', '1\n'],
    ['zero', '0'],
    ['zero with decimals', '0.000'],
    ['a number that rounds to zero', '0.000000004999'],
    ['a number that is zero because of its exponent', '1e-999'],
    ['a negative price', '-1'],
    ['a plus sign', '+1'],
    ['no whole part', '.5'],
    ['no fraction', '5.'],
    ['hexadecimal', '0x10'],
    ['a digit separator', '1_000'],
    ['a decimal comma', '1,5'],
    ['not a number', 'NaN'],
    ['infinity', 'Infinity'],
    ['null', 'null'],
    ['an exponent without digits', '1e'],
    ['an exponent of four digits', '1e-1000'],
    ['full-width digits', '\uFF11'],
    ['more than any market pays', '1e11'],
    ['a venue gone mad', '1e999'],
  ])('refuses %s', (_, text) => {
    expect(parsePrice(text)).toBeUndefined();
  });

  it('refuses exactly 1e10 USDT, because a price must be below it', () => {
    expect(parsePrice('10000000000')).toBeUndefined();
    expect(parsePrice('1e10')).toBeUndefined();
  });

  it('rounds any price half up at 8 decimals', () => {
    forAll(fc.integer({ min: 0, max: 999_999_999 }), digits(20), (whole, fraction) => {
      const atoms_e20 = BigInt(`${whole}${fraction.padEnd(20, '0')}`);
      const rounded = (atoms_e20 + 500_000_000_000n) / 1_000_000_000_000n;
      const text = fraction === '' ? String(whole) : `${whole}.${fraction}`;
      expect(parsePrice(text)).toBe(rounded === 0n ? undefined : rounded);
    });
  });

  it('reads back every price that it writes, without an exponent', () => {
    expect(formatPrice(1n)).toBe('0.00000001');
    expect(formatPrice(6_500_000_000_000n)).toBe('65000');
    forAll(fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }), (price) => {
      expect(parsePrice(formatPrice(price))).toBe(price);
    });
  });
});

describe('reading a volume', () => {
  it.each([
    ['12.500', '12.5'],
    ['0.0', '0'],
    ['100', '100'],
    ['100.000', '100'],
    ['00.10', '0.1'],
    ['0.010000000000000000', '0.01'],
    ['1.5e3', '1500'],
    ['1e-10', '0.0000000001'],
    ['12345678901234567890.5', '12345678901234567890.5'],
    ['1e-19', '0'],
    ['1.0000000000000000014', '1.000000000000000001'],
  ])('writes %s as %s', (text, plain) => {
    expect(parseVolume(text)).toBe(plain);
  });

  it.each(['', '-1', '+1', 'NaN', '1,0', '0x10', 'Infinity', '1e20', '1e999'])('refuses "%s"', (text) => {
    expect(parseVolume(text)).toBeUndefined();
  });
});

describe('the price before a change', () => {
  it.each([
    ['a rise', '67193', '98.5', '67094.5'],
    ['a fall', '67193', '-98.5', '67291.5'],
    ['none', '67193', '0', '67193'],
    ['more decimals than a number holds', '0.10427', '-0.000000015', '0.10427002'],
    ['an exponent', '6.5e4', '-1E+3', '66000'],
  ])('is the price minus its change: %s', (_, price, change, before) => {
    expect(priceBeforeChange(price, change)).toBe(parsePrice(before));
  });

  it.each([
    ['a rise in percent', '65000.1', '1.5', '64039.50738916'],
    ['a fall in percent', '50', '-50', '100'],
    ['a fall of almost all', '0.00000001', '-99.99', '0.0001'],
    ['none', '65000.1', '-0', '65000.1'],
    ['a third', '1', '200', '0.33333333'],
    ['half an atom, which counts as one', '0.00000003', '100', '0.00000002'],
  ])('is the exact quotient: %s', (_, price, percent, before) => {
    expect(priceBeforePercent(price, percent)).toBe(parsePrice(before));
  });

  it.each(['', 'nan', '+1', '--1', '- 1', '-', '1,5', '0x1', 'Infinity', '9'.repeat(200)])(
    'does not exist when the change is "%s"',
    (change) => {
      expect(priceBeforeChange('100', change)).toBeUndefined();
      expect(priceBeforePercent('100', change)).toBeUndefined();
    },
  );

  it('does not exist when the price or the result is not positive', () => {
    expect(priceBeforeChange('-1', '-5')).toBeUndefined();
    expect(priceBeforeChange('5', '5')).toBeUndefined();
    expect(priceBeforeChange('5', '6')).toBeUndefined();
    expect(priceBeforeChange('5', '-1e999')).toBeUndefined();
    expect(priceBeforePercent('nan', '1')).toBeUndefined();
    expect(priceBeforePercent('0', '1')).toBeUndefined();
    expect(priceBeforePercent('5', '-100')).toBeUndefined();
    expect(priceBeforePercent('5', '-101')).toBeUndefined();
    expect(priceBeforePercent('9e9', '-99')).toBeUndefined();
    expect(priceBeforePercent('5', '1e999')).toBeUndefined();
  });

  it('gives the change in percent again, to the last digit', () => {
    forAll(prices, fc.integer({ min: -9_999, max: 100_000 }), (before, hundredths) => {
      const price = before * BigInt(10_000 + hundredths);
      fc.pre(before < 10n ** 12n);
      const text = (value: bigint, scale: number) => {
        const written = value.toString().padStart(scale + 1, '0');
        return `${written.slice(0, -scale)}.${written.slice(-scale)}`;
      };
      const percent = `${hundredths < 0 ? '-' : ''}${text(BigInt(Math.abs(hundredths)), 2)}`;
      expect(priceBeforePercent(text(price, 12), percent)).toBe(before);
    });
  });
});

describe('mean and median', () => {
  it('take the mean half up at the last decimal', () => {
    expect(meanPrice(1n, 2n)).toBe(2n);
    expect(meanPrice(1n, 3n)).toBe(2n);
    expect(meanPrice(5n, 5n)).toBe(5n);
  });

  it('take the middle of an odd number, however far off the others are', () => {
    expect(medianPrice([7n])).toBe(7n);
    expect(medianPrice([1n, 65_000n, 65_000_000n])).toBe(65_000n);
    expect(medianPrice([9n, 1n, 5n, 3n, 7n])).toBe(5n);
  });

  it('take the mean of the middle two of an even number, half up', () => {
    expect(medianPrice([10n, 13n])).toBe(12n);
    expect(medianPrice([100n, 1n, 10n, 13n])).toBe(12n);
  });

  it('order by value and not by digits', () => {
    expect(medianPrice([100n, 9n, 20n])).toBe(20n);
  });

  it('have as many prices at or below them as at or above, in any order', () => {
    forAll(fc.array(prices, { minLength: 1, maxLength: 9 }), (all) => {
      const given = [...all];
      const median = medianPrice(all);
      // The median of an even group is rounded up by less than one, so it is compared from both sides.
      expect(all.filter((price) => price <= median).length * 2).toBeGreaterThanOrEqual(all.length);
      expect(all.filter((price) => price >= median - 1n).length * 2).toBeGreaterThanOrEqual(all.length);
      expect(medianPrice(all.toReversed())).toBe(median);
      expect(all).toEqual(given);
    });
  });

  it('return nothing for no prices', () => {
    expect(() => medianPrice([])).toThrow(RangeError);
  });
});

describe('the change of a price', () => {
  it.each([
    ['a rise', 110n, 100n, 0.1],
    ['a fall', 90n, 100n, -0.1],
    ['a seventh decimal of 5, away from zero', 10_000_005n, 10_000_000n, 0.000001],
    ['the same downwards', 9_999_995n, 10_000_000n, -0.000001],
    ['a price that doubled', 200n, 100n, 1],
    ['a third', 4n, 3n, 0.333333],
  ])('is a fraction of the open: %s', (_, price, open, change) => {
    expect(changeFraction(price, open)).toBe(change);
  });

  it('is zero and never minus zero, which JSON cannot show', () => {
    expect(Object.is(changeFraction(100n, 100n), 0)).toBe(true);
    expect(Object.is(changeFraction(10n ** 12n - 1n, 10n ** 12n), 0)).toBe(true);
    expect(Object.is(changeFraction(10n ** 12n + 1n, 10n ** 12n), 0)).toBe(true);
  });

  it('is the exact fraction, rounded to 6 decimals', () => {
    const pairs = fc
      .bigInt({ min: 1_000_000n, max: 10n ** 18n })
      .chain((open) => fc.tuple(fc.bigInt({ min: 1n, max: open * 1_000n }), fc.constant(open)));
    forAll(pairs, ([price, open]) => {
      const difference = price > open ? price - open : open - price;
      const millionths = (difference * 2_000_000n + open) / (2n * open);
      const expected = Number(millionths) / 1_000_000;
      expect(changeFraction(price, open)).toBe(price < open && expected !== 0 ? -expected : expected);
    });
  });
});
