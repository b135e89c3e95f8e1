import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A migration: its name and its SQL. */
interface KnownMigration {
  readonly name: string;
  readonly digest: string;
}

/** The file that lists the migrations by which a state was made. */
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
 * Moves a state aside if it was made by other migrations than the present ones, and returns its new place, which is
 * named by `now`. Present migrations may follow those of the state: they are then applied to it.
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

/** The migrations that are listed with a state; none when an earlier version made it. */
function readNoted(storage: string): KnownMigration[] | undefined {
  const file = join(storage, SCHEMA_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KnownMigration[]) : undefined;
}
