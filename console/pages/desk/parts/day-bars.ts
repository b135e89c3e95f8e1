import { add } from '../../exact.ts';
import { showCents } from '../../format.ts';

/** Values of days as bars. A chart draws; what must be exact is said in words. */
export interface BarsOf {
  /** Such as `2026-11-21`, the oldest first. */
  readonly days: readonly string[];
  /** What is drawn, in words, for who does not see it. */
  readonly label: string;
  /** One or two, each with a plain decimal for each day. */
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly string[];
    /** How a value is said, unless by `showSigned`. */
    readonly show?: (decimal: string) => string;
  }[];
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

/** What is shown of something that can go either way: what is more than nothing has its sign too. */
export const addPlus = (shown: string) => (/^[0.]*[1-9]/.test(shown) ? `+${shown}` : shown);

/** A gain, a loss or a position with two decimals. */
export const showGain = (decimal: string) => addPlus(showSigned(decimal));

/** How much of a limit is used, to a tenth of a percent; what is less is not shown as nothing. */
export function showUsed(share: string): string {
  const percent = Number(share) * 100;
  return `${percent > 0 && percent < 0.1 ? '< 0.1' : percent.toFixed(percent && 1)}\u202F%`;
}

const calendar = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day such as `2026-11-21`, for people. */
export function showDay(day: string): string {
  return calendar.format(new Date(day));
}
