import { type SQL, getTableColumns, sql } from 'drizzle-orm';
import { type AnySQLiteColumn, type SQLiteTable, customType } from 'drizzle-orm/sqlite-core';

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

/** How each column of a table is selected: as it is, and a column of atoms through `exactly`. */
type Selected<Table extends SQLiteTable> = {
  [Name in keyof Table['$inferSelect'] & keyof Table['_']['columns']]: bigint extends Table['$inferSelect'][Name]
    ? SQL<Table['$inferSelect'][Name]>
    : Table['_']['columns'][Name];
};

/** All columns of a table, for a query whose rows are of the type `$inferSelect`. */
export function columnsOf<Table extends SQLiteTable>(table: Table): Selected<Table> {
  const columns = Object.entries<AnySQLiteColumn>(getTableColumns(table));
  const selected = columns.map(([name, column]) => [name, column.dataType === 'custom' ? exactly(column) : column]);
  return Object.fromEntries(selected) as Selected<Table>;
}
