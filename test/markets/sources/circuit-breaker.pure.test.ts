import { describe, expect, it } from 'vitest';
import {
  type CircuitBreaker,
  closedBreaker,
  recordFailure,
  standingOf,
} from '../../../src/markets/sources/circuit-breakers.ts';
import type { SourceFault } from '../../../src/markets/sources/source-error.ts';

const t0 = Date.parse('2026-11-21T12:00:00Z');

function fail(times: number, fault: SourceFault = 'unavailable', retryAfter_ms?: number): CircuitBreaker {
  let breaker = closedBreaker;
  for (let index = 0; index < times; index++) breaker = recordFailure(breaker, { fault, retryAfter_ms }, t0);
  return breaker;
}

/** After how many seconds it lets a request through. */
function waitOf(breaker: CircuitBreaker): number {
  const wait_ms = (breaker.openUntil_ms ?? t0) - t0;
  if (wait_ms > 0) expect(standingOf(breaker, t0 + wait_ms - 1)).not.toBe('probe');
  expect(standingOf(breaker, t0 + wait_ms)).toBe(wait_ms > 0 ? 'probe' : 'good');
  return wait_ms / 1_000;
}

describe('a source is suspended', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 30],
    [4, 60],
    [5, 120],
    [6, 240],
    [7, 480],
    [8, 600],
    [80, 600],
  ])('after %i failures in a row for %i s', (failures, seconds) => {
    expect(waitOf(fail(failures))).toBe(seconds);
    expect(waitOf(fail(failures, 'question_refused'))).toBe(seconds);
  });

  it('after a rate limit for as long as the venue asks, or a minute when it does not say, but at most a day', () => {
    expect(waitOf(fail(1, 'rate_limited', 7_000))).toBe(7);
    expect(waitOf(fail(1, 'rate_limited'))).toBe(60);
    expect(waitOf(fail(1, 'rate_limited', 1e12))).toBe(86_400);
  });

  it('after any other failure with a Retry-After, for that time', () => {
    expect(waitOf(fail(1, 'unavailable', 12_000))).toBe(12);
  });

  it('for two minutes when a firewall refuses our address, which others may share, or for as long as it asks', () => {
    expect(waitOf(fail(1, 'address_blocked'))).toBe(120);
    expect(waitOf(fail(1, 'address_blocked', 7_000))).toBe(7);
  });

  it('for half an hour when it refuses our country', () => {
    expect(waitOf(fail(1, 'geo_blocked'))).toBe(1_800);
  });
});

describe('a suspended source may be tried early when it is needed', () => {
  it('2 s after its failure', () => {
    const breaker = fail(3);
    expect(standingOf(breaker, t0 + 1_999)).toBe('suspended');
    expect(standingOf(breaker, t0 + 2_000)).toBe('probe_if_needed');
  });

  it.each<[SourceFault, number | undefined]>([
    ['rate_limited', undefined],
    ['rate_limited', 20_000],
    ['unavailable', 20_000],
    ['address_blocked', undefined],
    ['geo_blocked', undefined],
  ])('but never when it told us to stay away (%s, %s)', (fault, retryAfter_ms) => {
    expect(standingOf(fail(1, fault, retryAfter_ms), t0 + 19_999)).toBe('suspended');
  });
});
