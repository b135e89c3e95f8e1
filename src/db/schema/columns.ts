import { type SQL, sql } from 'drizzle-orm';
import { customType, type AnySQLiteColumn } from 'drizzle-orm/sqlite-core';

/**
 * A 64-bit amount. It is written as text, which a STRICT INTEGER column stores exactly. It must be read through
 * `exactly`, because D1 returns an integer column as a JavaScript number, which is not exact above 2^53.
 */
export const atoms = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'integer',
  toDriver: (value) => value.toString(),
  fromDriver: () => {
    throw new TypeError('a column of atoms is selected through exactly()');
  },
});

/** Selects a column of atoms without loss; NULL stays null. */
export function exactly(column: AnySQLiteColumn<{ notNull: true }>): SQL<bigint>;

export function exactly(column: AnySQLiteColumn): SQL<bigint | null>;

export function exactly(column: AnySQLiteColumn): SQL<bigint | null> {
  return sql`CAST(${column} AS TEXT)`.mapWith((value: string) => BigInt(value));
}
