import { describe, expect, it } from 'vitest';
import { chooseLedger, drawLedger } from '../../src/db/opening-weights.ts';

const ledgers = [0, 1, 2];

/** How many of a thousand evenly spread draws fall on each ledger. */
function countDraws(weights: Record<string, number>): number[] {
  const drawn = Array.from({ length: 1_000 }, (_, n) => drawLedger(weights, ledgers, n / 1_000));
  return ledgers.map((ledger) => drawn.filter((one) => one === ledger).length);
}

describe('the ledger of a new account', () => {
  it.each([
    [{ '0': 1 }, [1_000, 0, 0]],
    [{ '2': 7 }, [0, 0, 1_000]],
    [{ '0': 1, '1': 1, '2': 2 }, [250, 250, 500]],
    [{ '0': 0, '1': 3, '2': 1 }, [0, 750, 250]],
  ])('is drawn in proportion to the weights %j', (weights, counts) => {
    expect(countDraws(weights)).toEqual(counts);
  });

  it('is one that exists, whatever other numbers have a weight', () => {
    expect(countDraws({ '1': 1, '9': 1_000 })).toEqual([0, 1_000, 0]);
  });

  it('is not drawn where none has a weight', () => {
    expect(() => drawLedger({ '0': 0 }, ledgers, 0.5)).toThrow('no ledger has a weight');
  });

  it('is ledger 0 where there is no other, and nothing is read to know it', async () => {
    const unread = new Proxy({}, { get: () => expect.unreachable('the database was asked') }) as D1Database;
    expect(await chooseLedger({ DB: unread }, 0.99)).toBe(0);
  });
});
