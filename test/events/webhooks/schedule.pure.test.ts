import { describe, expect, it } from 'vitest';
import { pauseAfter, readRetryAfter } from '../../../src/events/webhooks/schedule.ts';

const HOUR_MS = 3_600_000;
const PAUSES_MS = [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24, 24].map((hours) => hours * HOUR_MS)];

describe('the pause after a failure', () => {
  it.each(PAUSES_MS.map((pause_ms, at) => [at + 1, pause_ms]))(
    'number %i is %i ms, and a tenth more or less',
    (failures, pause_ms) => {
      expect(pauseAfter(failures, 0, 0.5)).toBe(pause_ms);
      expect(pauseAfter(failures, 0, 0)).toBe(Math.round(pause_ms * 0.9));
      expect(pauseAfter(failures, 0, 1)).toBe(Math.round(pause_ms * 1.1));
    },
  );

  it('is what Retry-After asks for where that is longer, up to a day', () => {
    expect(pauseAfter(1, 60_000, 0)).toBe(60_000);
    expect(pauseAfter(2, 60_000, 0.5)).toBe(300_000);
    expect(pauseAfter(1, 400 * HOUR_MS, 0.5)).toBe(24 * HOUR_MS);
  });
});

describe('Retry-After', () => {
  const now_ms = Date.UTC(2026, 10, 22, 12);
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Sun, 22 Nov 2026 12:05:00 GMT', 300_000],
    ['Sun, 22 Nov 2026 11:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    ['99999999999', 0],
  ])('%s is read as %i ms', (text, wait_ms) => {
    expect(readRetryAfter(text, now_ms)).toBe(wait_ms);
  });

  it('may be missing', () => {
    expect(readRetryAfter(null, now_ms)).toBe(0);
  });
});
