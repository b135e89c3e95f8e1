const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after the first, second, third and so on failure; the last one repeats (Standard Webhooks, "Retries"). */
const PAUSES_MS = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

const LONGEST_MS = PAUSES_MS[8];

/** Each pause is longer or shorter by up to a tenth, so that receivers that failed together are not asked together. */
const JITTER = 0.1;

/** After failing for so long an endpoint is switched off. */
export const GIVE_UP_MS = 5 * 24 * HOUR_MS;

/**
 * The pause before the next attempt, after this many failures in a row: at least what `Retry-After` asks for, and never
 * more than a day and a tenth. `random` is from 0 to below 1. Pure.
 */
export function pauseAfter(failures: number, retryAfter_ms: number, random: number): number {
  const pause_ms = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? PAUSES_MS[0];
  const spread_ms = pause_ms * (1 + JITTER * (2 * random - 1));
  return Math.round(Math.max(spread_ms, Math.min(retryAfter_ms, LONGEST_MS)));
}

/** What `Retry-After` asks for (RFC 9110, 10.2.3): seconds, or a date. 0 where it says nothing that can be read. */
export function readRetryAfter(text: string | null, now_ms: number): number {
  if (text === null) return 0;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date_ms = Date.parse(text);
  return Number.isNaN(date_ms) ? 0 : Math.max(0, date_ms - now_ms);
}
