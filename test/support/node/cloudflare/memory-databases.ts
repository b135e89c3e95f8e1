import { DatabaseSync } from 'node:sqlite';
import type { Database, Row } from '../../../../scripts/databases/database.ts';
import type { RunStatements } from './play-d1-api.ts';

/** Databases in memory, by their ids, which begin empty. */
export interface MemoryDatabases {
  readonly run: RunStatements;
  readonly open: (id: string) => DatabaseSync;
}

/** One of them, as a script of the operator knows it. */
export function describeMemory({ run }: MemoryDatabases, binding: string): Database {
  return {
    binding,
    ask: async (statements) =>
      (await run(binding, statements)).map((rows) => rows.map((row) => Object.values(row) as unknown as Row)),
    execute: async (statements) => void (await run(binding, statements)),
  };
}

/** They have integers of 64 bits, which answers round as those of D1 do. */
export function openMemoryDatabases(): MemoryDatabases {
  const databases = new Map<string, DatabaseSync>();
  const open = (id: string) => {
    const database = databases.get(id) ?? new DatabaseSync(':memory:');
    databases.set(id, database);
    return database;
  };
  const run: RunStatements = async (id, statements) => {
    const database = open(id);
    database.exec('BEGIN');
    try {
      const results = statements.map((sql) => runOne(database, sql));
      database.exec('COMMIT');
      return results;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  return { run, open };
}

function runOne(database: DatabaseSync, sql: string): Record<string, unknown>[] {
  if (!/^\s*SELECT/i.test(sql)) {
    database.exec(sql);
    return [];
  }
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  const round = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  return statement
    .all()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, round(value)])));
}
