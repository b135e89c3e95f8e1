import { describe, expect, it } from 'vitest';
import { planEvening, planTaking } from '../../src/ledger/quotas/plan-taking.ts';

const giver = (ledger: number, spare: bigint) => ({ ledger, spare });
const gift = (ledger: number, amount: bigint) => ({ ledger, amount });

describe('taking quota from other ledgers', () => {
  it('begins with the ledger that can spare most, and takes no more than is asked', () => {
    const givers = [giver(0, 5n), giver(1, 9n), giver(2, 7n)];
    expect(planTaking(givers, 8n)).toEqual([gift(1, 8n)]);
    expect(planTaking(givers, 18n)).toEqual([gift(1, 9n), gift(2, 7n), gift(0, 2n)]);
  });

  it('finds less where there is less, and nothing from a ledger without any', () => {
    expect(planTaking([giver(0, 0n), giver(1, 3n)], 8n)).toEqual([gift(1, 3n)]);
    expect(planTaking([], 8n)).toEqual([]);
  });

  it('asks at most eight ledgers', () => {
    const givers = Array.from({ length: 64 }, (_, ledger) => giver(ledger, 1n));
    expect(planTaking(givers, 64n)).toHaveLength(8);
  });
});

describe('evening out quota', () => {
  it('leaves a ledger and the richest with the same', () => {
    expect(planEvening(10n, [giver(0, 50n), giver(2, 90n)])).toEqual([gift(2, 40n)]);
  });

  it('takes nothing unless the richest can spare more than twice as much', () => {
    expect(planEvening(10n, [giver(0, 20n)])).toEqual([]);
    expect(planEvening(10n, [giver(0, 21n)])).toEqual([gift(0, 5n)]);
  });

  it('comes to rest when ledgers take from each other in turn', () => {
    const rooms = [1_000_003n, 5n, 0n];
    let moves = 0;
    for (let round = 0; round < 100; round += 1) {
      for (const ledger of rooms.keys()) {
        const others = rooms.flatMap((spare, other) => (other === ledger ? [] : [giver(other, spare)]));
        for (const taken of planEvening(rooms[ledger] ?? 0n, others)) {
          rooms[taken.ledger] = (rooms[taken.ledger] ?? 0n) - taken.amount;
          rooms[ledger] = (rooms[ledger] ?? 0n) + taken.amount;
          moves += 1;
        }
      }
    }
    expect(moves).toBeLessThan(6);
    expect(rooms.reduce((sum, room) => sum + room)).toBe(1_000_008n);
  });
});
