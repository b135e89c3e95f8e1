import { describe, expect, it } from 'vitest';
import { divide, planLimit, planNewLedger, planShare } from '../../src/db/shares/shares.ts';

it.each([
  ['in proportion', 10n, [1n, 3n, 1n], [2n, 6n, 2n]],
  ['with what rounding leaves for the first', 11n, [1n, 1n, 1n], [4n, 4n, 3n]],
  ['never to one without a weight', 5n, [0n, 1n, 1n], [0n, 3n, 2n]],
  ['to the first when none has a weight', 5n, [0n, 0n], [5n, 0n]],
  ['exactly, however large', 2n ** 63n - 1n, [2n ** 62n, 2n ** 62n], [2n ** 62n, 2n ** 62n - 1n]],
])('an amount that is divided is divided %s', (_case, amount, weights, parts) => {
  expect(divide(amount, weights)).toEqual(parts);
});

describe('the shares of a limit', () => {
  it.each([
    ['rises in proportion to the shares', [60n, 40n], [0n, 0n], 200n, [120n, 80n]],
    ['falls by what is not used, in proportion to it', [60n, 40n], [40n, 0n], 40n, [40n, 0n]],
    ['falls to what is used', [60n, 40n], [30n, 5n], 35n, [30n, 5n]],
    ['stays', [60n, 40n], [70n, 0n], 100n, [60n, 40n]],
    ['falls below what is used not at all', [60n, 40n], [30n, 5n], 34n, undefined],
    ['falls by nothing of a ledger that uses more than its share', [60n, 40n], [70n, 0n], 60n, [60n, 0n]],
    ['of one ledger is the limit', [60n], [10n], 10n, [10n]],
    ['of nothing is ledger 0’s', [0n, 0n], [0n, 0n], 7n, [7n, 0n]],
  ])('when it %s', (_case, shares, used, limit, planned) => {
    expect(planLimit(shares, used, limit)).toEqual(planned);
  });

  it.each([
    ['gets the difference from ledger 0', [60n, 40n, 5n], [0n, 0n, 0n], 1, 50n, [50n, 50n, 5n]],
    ['gives the difference to ledger 0', [60n, 40n], [60n, 0n], 1, 10n, [90n, 10n]],
    ['keeps what it uses', [60n, 40n], [0n, 20n], 1, 19n, undefined],
    ['gets nothing that ledger 0 uses', [60n, 40n], [55n, 0n], 1, 46n, undefined],
    ['gets all that ledger 0 does not use', [60n, 40n], [55n, 0n], 1, 45n, [55n, 45n]],
  ])('of a ledger that %s', (_case, shares, used, ledger, share, planned) => {
    expect(planShare(shares, used, ledger, share)).toEqual(planned);
  });

  it.each([
    ['an equal part of what nobody uses', [60n], [0n], [30n, 30n]],
    ['an equal part, in proportion to what is unused', [40n, 20n], [0n, 0n], [26n, 14n, 20n]],
    ['no more than is unused', [60n, 30n], [58n, 27n], [58n, 27n, 5n]],
    ['nothing where all is used', [60n], [60n], [60n, 0n]],
  ])('give a new ledger %s', (_case, shares, used, planned) => {
    expect(planNewLedger(shares, used)).toEqual(planned);
  });
});
