import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CountedBuckets } from '../../src/lane/buckets.ts';
import { LateWrites } from '../../src/platform/turns.ts';
import { ObjectState } from '../../src/platform/objects.ts';
import type { BucketName } from '../../src/keys/rights.ts';
import { env } from '../support/runtime/test-env.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const PLENTY = { perMinute: 600, perDay: 1_000_000 };

function freshObject() {
  return env.KEY_LANE.getByName(crypto.randomUUID());
}

function inObject<R>(use: (sql: SqlStorage) => R | Promise<R>): Promise<R> {
  return runInDurableObject(freshObject(), (_, state) => use(state.storage.sql));
}

/** A test inside a fresh object. */
const itInObject = (title: string, use: (sql: SqlStorage) => void | Promise<void>) => it(title, () => inObject(use));

/** Buckets that write what is late after every request, as the lane does before every effect. */
type Buckets = Pick<CountedBuckets, 'take'>;

/** The buckets as a restarted object reads them from storage. */
function start(sql: SqlStorage): Buckets {
  const late = new LateWrites();
  const buckets = new CountedBuckets(new ObjectState(sql), late);
  return {
    take: (...request) => {
      const decision = buckets.take(...request);
      late.flush();
      return decision;
    },
  };
}

/** Sends `count` requests at one moment, and returns how many were admitted. */
function burst(buckets: Buckets, name: BucketName, count: number, limits = PLENTY, at_ms = NOON_MS): number {
  return Array.from({ length: count }, () => buckets.take(name, limits, at_ms)).filter(({ admitted }) => admitted)
    .length;
}

/** How many requests remain for the day. It takes one more request to find out. */
function remainingAfterOne(buckets: Buckets, name: BucketName, at_ms = NOON_MS): number {
  return buckets.take(name, PLENTY, at_ms).state.day.remaining;
}

function countRowsWritten(sql: SqlStorage, work: (observed: SqlStorage) => void): number {
  let rows = 0;
  const observed = {
    exec: (query: string, ...bindings: unknown[]) => {
      const cursor = sql.exec(query, ...bindings);
      rows += cursor.rowsWritten;
      return cursor;
    },
  };
  work(observed as unknown as SqlStorage);
  return rows;
}

describe.each(['trade', 'withdraw'] as const)('the %s bucket', (name) => {
  itInObject('stays exact when the object restarts before every request', (sql) => {
    const limits = { perMinute: 5, perDay: 100 };
    for (let request = 1; request <= 5; request += 1) {
      expect(start(sql).take(name, limits, NOON_MS + request).admitted).toBe(true);
    }
    expect(start(sql).take(name, limits, NOON_MS + 6).admitted).toBe(false);
    expect(start(sql).take(name, limits, NOON_MS + 60_000).admitted).toBe(false);
    expect(start(sql).take(name, limits, NOON_MS + 60_001).admitted).toBe(true);
  });

  itInObject('stays exact over its day, however often the object restarts', (sql) => {
    const limits = { perMinute: 100, perDay: 7 };
    const admitted = Array.from({ length: 20 }, (_, index) => start(sql).take(name, limits, NOON_MS + index * 1_000));
    expect(admitted.filter((decision) => decision.admitted)).toHaveLength(7);
  });

  itInObject('writes one row for each admitted request, and none for a refused one', (sql) => {
    const limits = { perMinute: 10, perDay: 100 };
    start(sql);
    const rows = countRowsWritten(sql, (observed) => {
      burst(start(observed), name, 50, limits);
    });
    expect(rows).toBe(10);
  });

  itInObject(
    'writes one row for all requests at one moment that have no effect, and a restart loses only these',
    (sql) => {
      burst(start(sql), name, 3);
      const late = new LateWrites();
      const rows = countRowsWritten(sql, (observed) => {
        const buckets = new CountedBuckets(new ObjectState(observed), late);
        expect(burst(buckets, name, 20)).toBe(20);
        expect(remainingAfterOne(start(sql), name)).toBe(PLENTY.perDay - 4);
        late.flush();
      });
      expect(rows).toBe(1);
      expect(remainingAfterOne(start(sql), name)).toBe(PLENTY.perDay - 24);
    },
  );
});

describe('the read bucket', () => {
  itInObject('counts at most one block of ten too many when the object restarts, and never too few', (sql) => {
    for (let made = 1; made <= 60; made += 1) {
      sql.exec('DELETE FROM state');
      burst(start(sql), 'read', made);
      const counted = PLENTY.perDay - 1 - remainingAfterOne(start(sql), 'read');
      expect(counted).toBeGreaterThanOrEqual(made);
      expect(counted).toBeLessThan(made + 10);
    }
  });

  it('never admits more than its limit while the object lives; each restart adds at most one block', async () => {
    const steps = fc.array(
      fc.record({ gap_ms: fc.nat({ max: 3_000 }), dies: fc.boolean(), name: fc.constantFrom('read', 'trade') }),
      { minLength: 60, maxLength: 120 },
    );
    await inObject((sql) =>
      fc.assert(
        fc.property(steps, fc.integer({ min: 1, max: 40 }), fc.boolean(), (all, perMinute, mayDie) => {
          sql.exec('DELETE FROM state');
          const reads: number[] = [];
          const losses: number[] = [];
          let buckets = start(sql);
          let at_ms = NOON_MS;
          for (const { gap_ms, dies, name } of all) {
            at_ms += gap_ms;
            if (dies && mayDie) {
              buckets = start(sql);
              losses.push(at_ms);
            }
            const { admitted } = buckets.take(name, name === 'read' ? { perMinute, perDay: 10_000 } : PLENTY, at_ms);
            if (!admitted || name !== 'read') continue;
            reads.push(at_ms);
            const isRecent = (moment_ms: number, window_ms: number) => at_ms - moment_ms < window_ms;
            // A block of ten spans at most nine gaps, so the reads of a block that was lost before this are out of the
            // minute.
            const lost = losses.filter((moment_ms) => isRecent(moment_ms, 60_000 + 9 * 3_000)).length;
            expect(reads.filter((moment_ms) => isRecent(moment_ms, 60_000)).length).toBeLessThanOrEqual(
              perMinute + 9 * lost,
            );
          }
        }),
        { numRuns: 100 },
      ),
    );
  });

  it.each([1, 2, 9, 10, 16, 55, 60, 119, 120])(
    'admits exactly 120 again a minute after the last of %i reads, whenever the object restarted in between',
    (made) =>
      inObject((sql) => {
        const limits = { perMinute: 120, perDay: 5_000 };
        for (const lostAfter_ms of [1, 10_000, 59_999, 60_000]) {
          sql.exec('DELETE FROM state');
          const buckets = start(sql);
          for (let read = 0; read < made; read += 1) buckets.take('read', limits, NOON_MS + read);
          // A trade wakes the object, which does not count the block again; then the object is lost once more.
          start(sql).take('trade', limits, NOON_MS + made + lostAfter_ms);
          expect(burst(start(sql), 'read', 130, limits, NOON_MS + made - 1 + 60_000)).toBe(120);
        }
      }),
  );

  itInObject('admits exactly 120 after any pause of a polling client whose object slept', (sql) => {
    const limits = { perMinute: 120, perDay: 5_000 };
    for (const pause_ms of [60_000, 61_000, 90_000, 600_000, 3_600_000]) {
      sql.exec('DELETE FROM state');
      const buckets = start(sql);
      for (let read = 0; read < 35; read += 1) buckets.take('read', limits, NOON_MS + read * 9_000);
      expect(burst(start(sql), 'read', 200, limits, NOON_MS + 34 * 9_000 + pause_ms)).toBe(120);
    }
  });

  itInObject('counts a lost block in the day in which it was written', (sql) => {
    const midnight_ms = NOON_MS + 43_200_000;
    burst(start(sql), 'read', 16, PLENTY, midnight_ms - 1);
    expect(remainingAfterOne(start(sql), 'read', midnight_ms - 1)).toBe(PLENTY.perDay - 26);
    expect(remainingAfterOne(start(sql), 'read', midnight_ms)).toBe(PLENTY.perDay - 1);
  });

  itInObject('takes nothing extra from a slow polling client whose object sleeps between its calls', (sql) => {
    let remaining = PLENTY.perDay;
    for (let call = 1; call <= 100; call += 1) {
      remaining = start(sql).take('read', PLENTY, NOON_MS + call * 10_000).state.day.remaining;
    }
    expect(remaining).toBe(PLENTY.perDay - 100);
  });

  itInObject(
    'writes a row for ten reads of a polling client that keeps the object awake, and a row for each read if not',
    (sql) => {
      start(sql);
      const poll = (pace_ms: number) =>
        countRowsWritten(sql, (observed) => {
          const buckets = start(observed);
          for (let call = 1; call <= 200; call += 1) {
            expect(buckets.take('read', PLENTY, NOON_MS + call * pace_ms).admitted).toBe(true);
          }
        });
      expect(poll(9_000)).toBeLessThanOrEqual(24);
      sql.exec('DELETE FROM state');
      expect(poll(10_000)).toBe(200);
    },
  );

  itInObject('takes one block extra after a burst of a slow polling client, and nothing from then on', (sql) => {
    burst(start(sql), 'read', 16);
    let counted = 0;
    for (let call = 1; call <= 20; call += 1) {
      counted = PLENTY.perDay - start(sql).take('read', PLENTY, NOON_MS + call * 20_000).state.day.remaining;
    }
    // The 16th read wrote nine reads ahead.
    expect(counted).toBe(16 + 9 + 20);
  });

  itInObject('takes no more extra than was read before the object fell asleep', (sql) => {
    for (let made = 1; made <= 12; made += 1) {
      sql.exec('DELETE FROM state');
      const buckets = start(sql);
      for (let call = 0; call < made; call += 1) buckets.take('read', PLENTY, NOON_MS + call * 9_000);
      const counted = PLENTY.perDay - 1 - remainingAfterOne(start(sql), 'read', NOON_MS + 1_000_000);
      expect(counted).toBeLessThan(2 * made);
    }
  });

  itInObject(
    'counts the reads that were written ahead once, however often the object restarts before the next read',
    (sql) => {
      burst(start(sql), 'read', 16);
      for (let life = 1; life <= 5; life += 1) start(sql).take('trade', PLENTY, NOON_MS);
      const back = start(sql);
      expect(PLENTY.perDay - 1 - remainingAfterOne(back, 'read')).toBe(25);
      expect(PLENTY.perDay - 2 - remainingAfterOne(back, 'read')).toBe(25);
    },
  );

  itInObject('writes a row for every ten reads of a burst, and a few more at its start', (sql) => {
    start(sql);
    const rows = countRowsWritten(sql, (observed) => {
      expect(burst(start(observed), 'read', 200)).toBe(200);
    });
    expect(rows).toBeGreaterThanOrEqual(20);
    expect(rows).toBeLessThanOrEqual(25);
  });
});

it('the buckets of a key survive the eviction of the object', async () => {
  const stub = freshObject();
  const limits = { perMinute: 3, perDay: 10 };
  const first = await runInDurableObject(stub, (_, state) => burst(start(state.storage.sql), 'trade', 2, limits));
  await evictDurableObject(stub);
  const second = await runInDurableObject(stub, (_, state) => burst(start(state.storage.sql), 'trade', 2, limits));
  expect([first, second]).toEqual([2, 1]);
});
