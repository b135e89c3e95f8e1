import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One migration, and what it says. */
interface KnownMigration {
  readonly name: string;
  readonly digest: string;
}

/** Where the migrations are noted that a state was made by. */
const SCHEMA_FILE = 'schema.json';

/** Where wrangler keeps the local D1 below a state. */
const DATABASES = 'v3/d1';

function listMigrations(folder: string): KnownMigration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.toSorted().map((name) => {
    return {
      name,
      digest: createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    };
  });
}

/** Notes which migrations a state was made by, after they were applied to it. */
export function noteSchema(storage: string, migrations: string): void {
  writeFileSync(join(storage, SCHEMA_FILE), `${JSON.stringify(listMigrations(migrations), null, 2)}\n`);
}

/**
 * Moves a state aside that other migrations than these made, and gives where to. Migrations that come after those it was
 * made by are no others: they are applied to it. `now` names the place.
 */
export function moveEarlierState(storage: string, migrations: string, now: Date): string | undefined {
  if (!existsSync(join(storage, DATABASES))) return undefined;
  const noted = readNoted(storage);
  const known = listMigrations(migrations);
  const isOurs = noted?.every(({ name, digest }, at) => known[at]?.name === name && known[at].digest === digest);
  if (isOurs) return undefined;
  const aside = `${storage.replace(/\/+$/, '')}-earlier-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  renameSync(storage, aside);
  return aside;
}

/** The migrations that were noted with a state; none where an earlier version made it. */
function readNoted(storage: string): KnownMigration[] | undefined {
  const file = join(storage, SCHEMA_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KnownMigration[]) : undefined;
}
