import { add } from '../../exact.ts';
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

/** What a part of the rows of each day comes to. */
export function sumByDay<Part extends string>(
  rows: readonly ({ readonly day: string } & Readonly<Record<Part, string>>)[],
  days: readonly string[],
  part: Part,
): string[] {
  return days.map((day) => add(rows.filter((row) => row.day === day).map((row) => row[part])));
}

/** A signed value with two decimals. What is less than a cent either way is said to be so. */
export function showSigned(decimal: string): string {
  const cents = showCents(decimal.replace('-', ''));
  if (!decimal.startsWith('-')) return cents;
  return cents.startsWith('<') ? cents.replace('< ', '> −') : `−${cents}`;
}

/** How much of a limit is used: to a tenth of a percent, and what is little in words, so that it is not read as nothing. */
export function showUsed(share: string): string {
  const percent = Number(share) * 100;
  if (percent === 0) return 'none';
  return percent < 1 ? 'under 1\u202F%' : `${percent.toFixed(1)}\u202F%`;
}

const calendar = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day such as `2026-11-21`, for people. */
export function showDay(day: string): string {
  return calendar.format(new Date(day));
}
