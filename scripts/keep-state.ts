import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A migration: its name and its SQL. */
interface KnownMigration {
  readonly name: string;
  readonly digest: string;
}

/** The file that lists the migrations with which a state was made. */
export const SCHEMA_FILE = 'schema.json';

/** The folder in which wrangler keeps the local D1 of a state. */
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

/** Notes the migrations of a state, after they were applied to it. */
export function noteSchema(storage: string, migrations: string): void {
  writeFileSync(join(storage, SCHEMA_FILE), `${JSON.stringify(listMigrations(migrations), null, 2)}\n`);
}

/** Whether the first migrations of `all` are exactly those of `part`. */
function beginsWith(all: readonly KnownMigration[], part: readonly KnownMigration[]): boolean {
  return part.every(({ name, digest }, at) => all[at]?.name === name && all[at].digest === digest);
}

/** Returns whether a state was made by these migrations and more, which only a newer version has. */
export function isOfNewerVersion(storage: string, migrations: string): boolean {
  const noted = hasDatabase(storage) ? readNoted(storage) : undefined;
  const known = listMigrations(migrations);
  return noted !== undefined && noted.length > known.length && beginsWith(noted, known);
}

/**
 * Moves a state aside if it was made by other migrations than the present ones, and returns its new folder, which is
 * named by `now`. The present migrations may include newer ones, which are then applied to the state.
 */
export function moveEarlierState(storage: string, migrations: string, now: Date): string | undefined {
  if (!hasDatabase(storage)) return undefined;
  const noted = readNoted(storage);
  if (noted && beginsWith(listMigrations(migrations), noted)) return undefined;
  const aside = `${storage.replace(/\/+$/, '')}-earlier-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  renameSync(storage, aside);
  return aside;
}

function hasDatabase(storage: string): boolean {
  return existsSync(join(storage, DATABASES));
}

/** The migrations that are listed with a state; none when an earlier version made it. */
function readNoted(storage: string): KnownMigration[] | undefined {
  const file = join(storage, SCHEMA_FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as KnownMigration[]) : undefined;
}
