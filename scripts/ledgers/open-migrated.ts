import { DatabaseSync } from 'node:sqlite';
import { listMigrations } from './list-migrations.ts';

export function openMigrated(migrationsFolder: string): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const { text } of listMigrations(migrationsFolder)) database.exec(text);
  return database;
}
