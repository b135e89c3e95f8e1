import * as schema from '../../src/db/schema.ts';
import { SQL, is } from 'drizzle-orm';
import { type SQLiteColumn, SQLiteAsyncDialect, SQLiteTable, getTableConfig } from 'drizzle-orm/sqlite-core';
import { describe, expect, it } from 'vitest';
import { assetSymbols, scaleOf } from '../../src/money/assets.ts';
import { listRows } from '../support/db/sql.ts';

const tables = Object.values<unknown>(schema)
  .filter((value): value is SQLiteTable => is(value, SQLiteTable))
  .map((table) => getTableConfig(table));

const dialect = new SQLiteAsyncDialect();

const named = tables.map((table) => [table.name, table] as const);

async function pragma<Row>(name: string, argument: string): Promise<Row[]> {
  return await listRows<Row>(`PRAGMA ${name}(${argument})`);
}

async function listTables() {
  const results = await listRows<{
    schema: string;
    name: string;
    type: string;
    wr: number;
    strict: number;
  }>('PRAGMA table_list');
  const isOurs = (name: string) => !/^(sqlite_|_cf_|d1_migrations$)/.test(name);
  return results.filter((table) => table.schema === 'main' && table.type === 'table' && isOurs(table.name));
}

function writeDefault(column: SQLiteColumn): string | null {
  if (column.default === undefined) return null;
  if (is(column.default, SQL)) return dialect.sqlToQuery(column.default).sql;
  const value: unknown = column.mapToDriverValue(column.default);
  return column.getSQLType() === 'text' ? `'${String(value)}'` : String(value);
}

describe('the schema of Drizzle and the schema of the migrations', () => {
  it('have the same tables', async () => {
    const migrated = (await listTables()).map(({ name }) => name);
    expect(tables.map(({ name }) => name).toSorted()).toEqual(migrated.toSorted());
  });

  it.each(named)('have the same columns, types, defaults and NOT NULL: %s', async (name, table) => {
    const rows = await pragma<{
      name: string;
      type: string;
      notnull: number;
      dflt_value: string | null;
      hidden: number;
    }>('table_xinfo', name);
    const migrated = rows.map((row) => ({
      name: row.name,
      type: row.type,
      notNull: row.notnull === 1,
      default: row.dflt_value,
    }));
    const known = table.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      notNull: column.notNull,
      default: writeDefault(column),
    }));
    expect(known).toEqual(migrated);
    expect(rows.every(({ hidden }) => hidden === 0)).toBe(true);
  });
});

describe('the tables of the migrations', () => {
  it('are all STRICT, so that no column ever holds another type than its own', async () => {
    const loose = (await listTables()).filter(({ strict }) => strict !== 1);
    expect(loose.map(({ name }) => name)).toEqual([]);
  });

  it('are WITHOUT ROWID, so that a write is one row, unless their key is a number', async () => {
    const withRowid = (await listTables()).filter(({ wr }) => wr === 0);
    expect(withRowid.map(({ name }) => name).toSorted()).toEqual(['audit', 'settings', 'transfers']);
  });

  it('list the assets of the code, with the same number of atoms for one unit', async () => {
    const results = await listRows('SELECT asset, unit FROM assets ORDER BY asset');
    const known = assetSymbols.map((asset) => ({ asset, unit: 10 ** scaleOf(asset) }));
    expect(results).toEqual(known.toSorted((one, other) => (one.asset < other.asset ? -1 : 1)));
  });

  it('check what they refer to', async () => {
    const [row] = await listRows<{ foreign_keys: number }>('PRAGMA foreign_keys');
    expect(row?.foreign_keys).toBe(1);
  });
});
