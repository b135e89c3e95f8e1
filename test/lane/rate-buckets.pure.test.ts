import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BucketLimits, defaultLimits } from '../../src/keys/rights.ts';
import { type Bucket, type RateDecision, emptyBucket, takeOne } from '../../src/lane/buckets.ts';
import { forAll } from '../support/for-all.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const MIDNIGHT_MS = Date.UTC(2026, 10, 22);
const UNLIMITED_A_DAY = 100_000_000;

class Counter {
  #bucket: Bucket = emptyBucket;

  take(limits: BucketLimits, at_ms: number): RateDecision {
    const decision = takeOne('read', this.#bucket, limits, at_ms);
    this.#bucket = decision.bucket;
    return decision;
  }

  takeAll(limits: BucketLimits, moments_ms: readonly number[]): number[] {
    return moments_ms.filter((at_ms) => this.take(limits, at_ms).admitted);
  }
}

function every(step_ms: number, count: number, start_ms: number): number[] {
  return Array.from({ length: count }, (_, index) => start_ms + index * step_ms);
}

/** How many of the moments lie in the window that ends with `at_ms`, without the window's oldest instant. */
function countWithin(window_ms: number, moments_ms: readonly number[], at_ms: number): number {
  return moments_ms.filter((moment_ms) => moment_ms > at_ms - window_ms && moment_ms <= at_ms).length;
}

describe('the window of a minute', () => {
  it('refuses the 121st read until exactly 60,000 ms after the first', () => {
    const counter = new Counter();
    expect(counter.takeAll(defaultLimits.read, every(10, 120, NOON_MS))).toHaveLength(120);
    expect(counter.take(defaultLimits.read, NOON_MS + 1_190).admitted).toBe(false);
    expect(counter.take(defaultLimits.read, NOON_MS + 59_999)).toMatchObject({ admitted: false, retryAfter_s: 1 });
    expect(counter.take(defaultLimits.read, NOON_MS + 60_000).admitted).toBe(true);
    // Only the first read has left the window; the second leaves it 10 ms later.
    expect(counter.take(defaultLimits.read, NOON_MS + 60_009).admitted).toBe(false);
    expect(counter.take(defaultLimits.read, NOON_MS + 60_010).admitted).toBe(true);
  });

  it('slides: a burst before a full minute of the clock still counts after it', () => {
    const counter = new Counter();
    expect(counter.takeAll(defaultLimits.read, every(1, 120, NOON_MS + 59_000))).toHaveLength(120);
    expect(counter.take(defaultLimits.read, NOON_MS + 60_001).admitted).toBe(false);
    expect(counter.take(defaultLimits.read, NOON_MS + 118_999).admitted).toBe(false);
    expect(counter.take(defaultLimits.read, NOON_MS + 119_000).admitted).toBe(true);
  });

  it('does not count a refused request, so repeated refusals do not postpone the next admission', () => {
    const counter = new Counter();
    const limits = { perMinute: 5, perDay: UNLIMITED_A_DAY };
    counter.takeAll(limits, every(0, 5, NOON_MS));
    expect(counter.takeAll(limits, every(59, 1_000, NOON_MS + 1))).toEqual([]);
    const back = counter.take(limits, NOON_MS + 60_000);
    expect(back.admitted).toBe(true);
    expect(back.state.day.remaining).toBe(UNLIMITED_A_DAY - 6);
  });

  it('frees nothing when the clock goes back', () => {
    const counter = new Counter();
    counter.takeAll(defaultLimits.trade, every(1, 30, NOON_MS));
    for (const back_ms of [1, 1_000, 60_000, 3_600_000]) {
      expect(counter.take(defaultLimits.trade, NOON_MS - back_ms).admitted).toBe(false);
    }
    expect(counter.take(defaultLimits.trade, NOON_MS + 60_000).admitted).toBe(true);
  });

  it('never admits more than the limit in any 60 seconds, also after the limit is raised, and refuses only when full', () => {
    const scenarios = fc.record({
      perMinute: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 595, max: 640 })),
      gaps_ms: fc.array(fc.nat({ max: 200 }), { minLength: 1_000, maxLength: 1_000 }),
    });
    fc.assert(
      fc.property(scenarios, ({ perMinute, gaps_ms }) => {
        const limits = { perMinute, perDay: UNLIMITED_A_DAY };
        const counter = new Counter();
        const admitted: number[] = [];
        let at_ms = NOON_MS;
        for (const gap_ms of gaps_ms) {
          at_ms += gap_ms;
          if (counter.take(limits, at_ms).admitted) {
            admitted.push(at_ms);
            const justOutside_ms = admitted.at(-1 - perMinute);
            expect(justOutside_ms === undefined || at_ms - justOutside_ms >= 60_000).toBe(true);
          } else {
            // A raised limit is counted in whole seconds, so a request may stay counted up to a second longer than it
            // must.
            const longest_ms = perMinute > 600 ? 61_000 : 60_000;
            expect(countWithin(longest_ms, admitted, at_ms)).toBeGreaterThanOrEqual(perMinute);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('the window of a day', () => {
  it('refuses the 5,001st read of a UTC day, and admits it at midnight', () => {
    const counter = new Counter();
    const start_ms = MIDNIGHT_MS - 6_000_000;
    expect(counter.takeAll(defaultLimits.read, every(1_000, 5_000, start_ms))).toHaveLength(5_000);
    expect(counter.take(defaultLimits.read, MIDNIGHT_MS - 10_000)).toMatchObject({ admitted: false, retryAfter_s: 10 });
    expect(counter.take(defaultLimits.read, MIDNIGHT_MS - 1)).toMatchObject({ admitted: false, retryAfter_s: 1 });
    const next = counter.take(defaultLimits.read, MIDNIGHT_MS);
    expect(next.admitted).toBe(true);
    expect(next.state.day).toMatchObject({ remaining: 4_999, reset_ms: MIDNIGHT_MS + 86_400_000 });
  });

  it('starts anew without emptying the minute', () => {
    const counter = new Counter();
    counter.takeAll(defaultLimits.trade, every(1, 30, MIDNIGHT_MS - 1_000));
    expect(counter.take(defaultLimits.trade, MIDNIGHT_MS).admitted).toBe(false);
  });

  it('frees nothing when the clock goes back over midnight and passes it again', () => {
    const counter = new Counter();
    const limits = { perMinute: 1_000, perDay: 3 };
    counter.takeAll(limits, every(1, 3, MIDNIGHT_MS));
    expect(counter.take(limits, MIDNIGHT_MS - 3_600_000).admitted).toBe(false);
    expect(counter.take(limits, MIDNIGHT_MS + 3_600_000).admitted).toBe(false);
    expect(counter.take(limits, MIDNIGHT_MS + 86_400_000).admitted).toBe(true);
  });
});

describe('what a client is told', () => {
  it('is what remains of both windows, and when the next request is freed', () => {
    const counter = new Counter();
    counter.take(defaultLimits.trade, NOON_MS);
    const second = counter.take(defaultLimits.trade, NOON_MS + 500);
    expect(second.state).toEqual({
      bucket: 'read',
      minute: { quota: 30, window_s: 60, remaining: 28, reset_ms: NOON_MS + 60_000 },
      day: { quota: 500, window_s: 86_400, remaining: 498, reset_ms: MIDNIGHT_MS },
    });
    expect(second.retryAfter_s).toBe(0);
  });

  it('is a wait that is never too short, and never a second too long', () => {
    const scenarios = fc.record({
      perMinute: fc.integer({ min: 1, max: 15 }),
      lowered: fc.integer({ min: 1, max: 15 }),
      offsets_ms: fc.array(fc.nat({ max: 59_999 }), { minLength: 15, maxLength: 15 }),
    });
    forAll(scenarios, ({ perMinute, lowered, offsets_ms }) => {
      const moments_ms = offsets_ms.map((offset_ms) => NOON_MS + offset_ms).toSorted((one, other) => one - other);
      const counter = new Counter();
      counter.takeAll({ perMinute, perDay: UNLIMITED_A_DAY }, moments_ms);
      const limits = { perMinute: lowered, perDay: UNLIMITED_A_DAY };
      const now_ms = moments_ms.at(-1) ?? NOON_MS;
      const refused = counter.take(limits, now_ms);
      if (refused.admitted) return;
      const probe = (wait_s: number) => takeOne('read', refused.bucket, limits, now_ms + wait_s * 1_000).admitted;
      expect(probe(refused.retryAfter_s)).toBe(true);
      expect(refused.retryAfter_s).toBeGreaterThanOrEqual(1);
      if (refused.retryAfter_s > 1) expect(probe(refused.retryAfter_s - 1)).toBe(false);
    });
  });

  it('is a wait until enough requests have left for a lowered limit, with no less than none remaining', () => {
    const counter = new Counter();
    counter.takeAll({ perMinute: 100, perDay: UNLIMITED_A_DAY }, every(100, 100, NOON_MS));
    const lowered = { perMinute: 10, perDay: UNLIMITED_A_DAY };
    const refused = counter.take(lowered, NOON_MS + 10_000);
    // The 91st request, sent at 9,000 ms, has to leave before only nine are left.
    expect(refused).toMatchObject({ admitted: false, retryAfter_s: 59 });
    expect(refused.state.minute.remaining).toBe(0);
    expect(counter.take(lowered, NOON_MS + 68_999).admitted).toBe(false);
    expect(counter.take(lowered, NOON_MS + 69_000).admitted).toBe(true);
  });

  it('is never less than none remaining when the limit of a day was lowered', () => {
    const counter = new Counter();
    counter.takeAll({ perMinute: 1_000, perDay: 1_000 }, every(1, 50, NOON_MS));
    const refused = counter.take({ perMinute: 1_000, perDay: 10 }, NOON_MS + 100);
    expect(refused).toMatchObject({ admitted: false, retryAfter_s: 43_200, state: { day: { remaining: 0 } } });
  });
});
