import { describe, expect, test } from 'vitest';
import { readAmount } from '../../console/pages/amount.ts';
import { showCents, showChange } from '../../console/pages/format.ts';

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
    ['1,5', 'may be 15 or 1.5'],
    ['1,00,000', 'no comma'],
    ['12,34.5', 'no comma'],
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
  expect(['0', '0.009', '0.01', '12.3'].map(showCents)).toEqual(['0.00', '< 0.01', '0.01', '12.30']);
});

test('a change that rounds to nothing has no sign', () => {
  expect([0.0234, -0.0234, -0.00001].map(showChange)).toEqual(['+2.34\u202F%', '−2.34\u202F%', '0.00\u202F%']);
});
