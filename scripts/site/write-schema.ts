import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

const FOLDER = 'migrations';

/** Where the sandbox's Worker imports the schema from (`src/sandbox/open-when-empty.ts`). */
const FILE = 'dist/schema.json';

/** Writes the migrations into one file that a bundle can hold, in their order: the name of each, and its text. */
export function writeSchema(): void {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
  const migrations = names.toSorted().map((name) => ({ name, text: readFileSync(`${FOLDER}/${name}`, 'utf8') }));
  mkdirSync('dist', { recursive: true });
  writeFileSync(FILE, JSON.stringify(migrations));
}
