import { readFileSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

export function openMigrated(migrationsFolder: string): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  const names = readdirSync(migrationsFolder).filter((name) => name.endsWith('.sql'));
  for (const name of names.toSorted()) database.exec(readFileSync(`${migrationsFolder}/${name}`, 'utf8'));
  return database;
}
