import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMigrations } from './ledgers/list-migrations.ts';

/** The folders of the migrations: those of a ledger, and those of the console's database. */
export const MIGRATIONS = ['migrations', 'console/migrations'] as const;

/** The digests of the migrations of a folder, in the order of their names. */
type Schema = readonly string[];

/** The file that lists the migrations with which a state was made, folder by folder. */
export const SCHEMA_FILE = 'schema.json';

/** The folder in which wrangler keeps the local D1 of a state. */
const DATABASES = 'v3/d1';

function readSchema(folder: string): Schema {
  return listMigrations(folder).map(({ name, text }) => createHash('sha256').update(`${name}\n${text}`).digest('hex'));
}

/** Notes the migrations of a state, after they were applied to it. */
export function noteSchema(storage: string, folders: readonly string[]): void {
  writeFileSync(join(storage, SCHEMA_FILE), `${JSON.stringify(folders.map(readSchema), null, 2)}\n`);
}

/** Whether the first migrations of each folder of `all` are exactly those of `part`. */
function beginsWith(all: readonly Schema[], part: readonly Schema[]): boolean {
  return all.length === part.length && part.every((schema, at) => schema.every((digest, n) => all[at]?.[n] === digest));
}

/** Returns whether a state was made by these migrations and more, which only a newer version has. */
export function isOfNewerVersion(storage: string, folders: readonly string[]): boolean {
  const noted = hasDatabase(storage) ? readNoted(storage) : undefined;
  const known = folders.map(readSchema);
  return noted !== undefined && beginsWith(noted, known) && !beginsWith(known, noted);
}

/**
 * Moves a state aside if it was made by other migrations than the present ones, and returns its new folder, which is
 * named by `now`. The present migrations may include newer ones, which are then applied to the state.
 */
export function moveEarlierState(storage: string, folders: readonly string[], now: Date): string | undefined {
  if (!hasDatabase(storage)) return undefined;
  const noted = readNoted(storage);
  if (noted && beginsWith(folders.map(readSchema), noted)) return undefined;
  const aside = `${storage.replace(/\/+$/, '')}-earlier-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  renameSync(storage, aside);
  return aside;
}

function hasDatabase(storage: string): boolean {
  return existsSync(join(storage, DATABASES));
}

/** The migrations that are listed with a state; none when an earlier version made it, which listed others or none. */
function readNoted(storage: string): readonly Schema[] | undefined {
  const file = join(storage, SCHEMA_FILE);
  if (!existsSync(file)) return undefined;
  const noted: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return Array.isArray(noted) && noted.every(Array.isArray) ? (noted as Schema[]) : undefined;
}
