import { showCents } from '../../format.ts';

/** Values of days as bars. A chart draws; what must be exact is said in words. */
export interface BarsOf {
  /** Such as `2026-11-21`, the oldest first. */
  readonly days: readonly string[];
  /** What is drawn, in words, for who does not see it. */
  readonly label: string;
  /** One or two, each with a plain decimal for each day. */
  readonly series: readonly { readonly name: string; readonly values: readonly string[] }[];
}

const DAY_MS = 86_400_000;

/** The days up to today, in UTC, the oldest first. */
export function lastDays(count: number, now_ms: number): string[] {
  return Array.from({ length: count }, (_, place) =>
    new Date(now_ms - (count - 1 - place) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** A signed decimal with two digits. */
export function showSigned(decimal: string): string {
  if (!decimal.startsWith('-')) return showCents(decimal);
  const cents = showCents(decimal.slice(1));
  return cents.startsWith('<') ? '> −0.01' : `−${cents}`;
}
