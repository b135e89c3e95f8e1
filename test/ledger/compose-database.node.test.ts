import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openMigrated } from '../../scripts/schema/open-migrated.ts';
import { composeDatabase } from '../support/node/run/compose-database.ts';

function readAll(database: DatabaseSync, sql: string): unknown[] {
  const statement = database.prepare(sql);
  // Some balances are larger than a number holds.
  statement.setReadBigInts(true);
  return statement.all();
}

it('tests in workerd begin with the tables, indexes, triggers and rows that the migrations leave', () => {
  const migrated = openMigrated('migrations');
  const composed = new DatabaseSync(':memory:');
  for (const text of composeDatabase('migrations')) composed.exec(text);
  const entries = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name';
  expect(readAll(composed, entries)).toEqual(readAll(migrated, entries));
  const tables = readAll(migrated, "SELECT name FROM sqlite_schema WHERE type = 'table'") as { name: string }[];
  for (const { name } of tables) {
    const rows = `SELECT * FROM "${name}"`;
    expect(readAll(composed, rows), name).toEqual(readAll(migrated, rows));
  }
  expect(readAll(migrated, 'SELECT * FROM assets').length).toBeGreaterThan(5);
});

it('triggers of a table fire in the order in which the migrations made them', () => {
  const migrated = openMigrated('migrations');
  const composed = new DatabaseSync(':memory:');
  for (const text of composeDatabase('migrations')) composed.exec(text);
  const triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid";
  expect(readAll(composed, triggers)).toEqual(readAll(migrated, triggers));
});
