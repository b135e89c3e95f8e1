import { mkdirSync, writeFileSync } from 'node:fs';
import { listMigrations } from '../ledgers/list-migrations.ts';

/** Where the sandbox's Worker imports the schema from (`src/sandbox/open-when-empty.ts`). */
const FILE = 'dist/schema.json';

/** Writes the migrations into one file that a bundle can hold, in their order: the name of each, and its text. */
export function writeSchema(): void {
  mkdirSync('dist', { recursive: true });
  writeFileSync(FILE, JSON.stringify(listMigrations('migrations')));
}
