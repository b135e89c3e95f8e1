import { describe, expect, it } from 'vitest';
import { type ReportedRate, rateLimitHeaders } from '../../src/http/answer.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const MIDNIGHT_S = Date.UTC(2026, 10, 22) / 1_000;

const rate: ReportedRate = {
  bucket: 'trade',
  minute: { quota: 30, window_s: 60, remaining: 29, reset_ms: NOON_MS + 59_001 },
  day: { quota: 500, window_s: 86_400, remaining: 499, reset_ms: MIDNIGHT_S * 1_000 },
};

describe('the headers of a counted request', () => {
  it('show both windows as the IETF draft says, and the tighter one in the X-RateLimit headers', () => {
    expect(rateLimitHeaders(rate, NOON_MS)).toEqual({
      'RateLimit-Policy': '"trade-minute";q=30;w=60, "trade-day";q=500;w=86400',
      RateLimit: '"trade-minute";r=29;t=60, "trade-day";r=499;t=43200',
      'X-RateLimit-Limit': '30',
      'X-RateLimit-Remaining': '29',
      'X-RateLimit-Reset': String(NOON_MS / 1_000 + 60),
    });
  });

  it('show the day as the tighter window when less of it remains', () => {
    const headers = rateLimitHeaders({ ...rate, day: { ...rate.day, remaining: 28 } }, NOON_MS);
    expect(headers).toMatchObject({
      'X-RateLimit-Limit': '500',
      'X-RateLimit-Remaining': '28',
      'X-RateLimit-Reset': String(MIDNIGHT_S),
    });
  });

  it('show the minute when both remain equal', () => {
    const headers = rateLimitHeaders({ ...rate, day: { ...rate.day, remaining: 29 } }, NOON_MS);
    expect(headers['X-RateLimit-Limit']).toBe('30');
  });

  it('round seconds up, so that a client that waits them is never too early', () => {
    const soon = rateLimitHeaders({ ...rate, minute: { ...rate.minute, reset_ms: NOON_MS + 1 } }, NOON_MS);
    expect(soon['RateLimit']).toContain('"trade-minute";r=29;t=1,');
    expect(Number(soon['X-RateLimit-Reset']) * 1_000).toBeGreaterThan(NOON_MS);
  });

  it('never show a time in the past', () => {
    const late = rateLimitHeaders(rate, NOON_MS + 120_000);
    expect(late['RateLimit']).toContain('"trade-minute";r=29;t=0,');
  });
});
