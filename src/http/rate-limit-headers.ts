/** One window of a bucket, as its headers describe it. */
export interface ReportedWindow {
  readonly quota: number;
  readonly window_s: number;
  readonly remaining: number;
  readonly reset_ms: number;
}

/** Both windows of the bucket that a request was counted in. */
export interface ReportedRate {
  readonly bucket: string;
  readonly minute: ReportedWindow;
  readonly day: ReportedWindow;
}

/**
 * The headers of a counted request: `RateLimit-Policy` and `RateLimit` (IETF draft "RateLimit header fields for
 * HTTP"), and the older `X-RateLimit-*` for the tighter window, `-Reset` in unix seconds.
 */
export function rateLimitHeaders(rate: ReportedRate, now_ms: number): Record<string, string> {
  const windows = [
    { name: `${rate.bucket}-minute`, ...rate.minute },
    { name: `${rate.bucket}-day`, ...rate.day },
  ];
  const tighter = rate.day.remaining < rate.minute.remaining ? rate.day : rate.minute;
  const secondsUntil = (reset_ms: number) => Math.max(0, Math.ceil((reset_ms - now_ms) / 1_000));
  return {
    'RateLimit-Policy': windows.map(({ name, quota, window_s }) => `"${name}";q=${quota};w=${window_s}`).join(', '),
    RateLimit: windows
      .map(({ name, remaining, reset_ms }) => `"${name}";r=${remaining};t=${secondsUntil(reset_ms)}`)
      .join(', '),
    'X-RateLimit-Limit': String(tighter.quota),
    'X-RateLimit-Remaining': String(tighter.remaining),
    'X-RateLimit-Reset': String(Math.ceil(tighter.reset_ms / 1_000)),
  };
}
