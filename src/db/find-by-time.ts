import { type SQL, sql } from 'drizzle-orm';
import type { audit, transfers } from './schema.ts';

/**
 * The number of the first row that was written at `time_ms` or later, or the next number where there is none. The rows of
 * these two tables are numbered without a gap and their times rise with their numbers, so the number is found by halving
 * and no index of times is needed. Clocks differ: whoever needs every row of a time asks from a little earlier.
 */
export function firstNumberFrom(table: typeof audit | typeof transfers, time_ms: number): SQL<number> {
  return sql<number>`(
    WITH RECURSIVE search (low, high) AS (
      SELECT 0, coalesce(max(id), 0) + 1 FROM ${table}
      UNION ALL
      SELECT iif(${table}.ts < ${time_ms}, ${table}.id, low), iif(${table}.ts < ${time_ms}, high, ${table}.id)
        FROM search JOIN ${table} ON ${table}.id = (low + high) / 2 WHERE high - low > 1)
    SELECT high FROM search WHERE high - low <= 1)`;
}
