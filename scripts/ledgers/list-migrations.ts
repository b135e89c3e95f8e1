import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The migrations of a folder in the order in which they are applied: the name of each, and its text. */
export function listMigrations(folder: string): { readonly name: string; readonly text: string }[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.toSorted().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}
