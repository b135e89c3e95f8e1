import { listMigrations } from '../ledgers/list-migrations.ts';
import { openMigrated } from '../ledgers/open-migrated.ts';
import { type Database, quote } from './database.ts';

/** The table in which wrangler notes the migrations of a database. */
const NOTES = `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** The parts of a schema: triggers, tables, indexes and views by their names. */
type Schema = ReadonlyMap<string, string>;

const SCHEMA = `SELECT type, name, sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name <> 'd1_migrations'`;

/**
 * Applies to each database in turn the migrations of its folder that it lacks, with their notes in one transaction, and
 * compares the schema that it has then with the one that the files make. Stops at the first database that fails or
 * differs: rejects with what is wrong and which databases were not reached.
 */
export async function migrateDatabases(
  databases: readonly Database[],
  folderOf: (binding: string) => string,
  tell: (line: string) => void,
): Promise<void> {
  for (const [at, database] of databases.entries()) {
    try {
      const applied = await migrateDatabase(database, folderOf(database.binding));
      tell(`${database.binding}: ${applied.join(', ') || 'nothing to apply'}; its schema is as expected`);
    } catch (error) {
      const left = databases.slice(at + 1).map(({ binding }) => binding);
      const rest = left.length > 0 ? `\nNot reached: ${left.join(', ')}.` : '';
      throw new Error(`${database.binding} is not migrated: ${String(error)}${rest}`, { cause: error });
    }
  }
}

async function migrateDatabase(database: Database, folder: string): Promise<string[]> {
  const noted = await readNotes(database);
  const known = listMigrations(folder);
  if (noted.some((name, at) => name !== known[at]?.name)) {
    throw new Error(`it has the migrations ${noted.join(', ')}, and ${folder} begins with others`);
  }
  const missing = known.slice(noted.length);
  const statements = missing.flatMap(({ name, text }) => [
    text,
    `INSERT INTO d1_migrations (name) VALUES (${quote(name)})`,
  ]);
  if (missing.length > 0) await database.execute([NOTES, ...statements]);
  const expected = openMigrated(folder);
  const differences = compareSchemas(
    readSchema(
      expected
        .prepare(SCHEMA)
        .all()
        .map((row) => Object.values(row).map(String)),
    ),
    readSchema((await database.ask([SCHEMA]))[0] ?? []),
  );
  expected.close();
  if (differences.length > 0) throw new Error(`its schema differs: ${differences.join('; ')}`);
  return missing.map(({ name }) => name);
}

/** The names of the migrations that a database has, in the order in which they were applied. */
async function readNotes(database: Database): Promise<string[]> {
  const [found = []] = await database.ask([`SELECT name FROM sqlite_schema WHERE name = 'd1_migrations'`]);
  if (found.length === 0) return [];
  const [rows = []] = await database.ask(['SELECT name FROM d1_migrations ORDER BY id']);
  return rows.map(([name]) => name ?? '');
}

function readSchema(rows: readonly (readonly (string | null)[])[]): Schema {
  return new Map(rows.map(([type, name, sql]) => [`${type} ${name}`, squeeze(sql ?? '')]));
}

function squeeze(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What a schema has less, more or otherwise than expected. Comments and blanks make no difference. */
function compareSchemas(expected: Schema, found: Schema): string[] {
  return [
    ...[...expected.keys()].filter((part) => !found.has(part)).map((part) => `it lacks the ${part}`),
    ...[...found.keys()].filter((part) => !expected.has(part)).map((part) => `it has a ${part} of its own`),
    ...[...expected]
      .filter(([part, sql]) => found.has(part) && found.get(part) !== sql)
      .map(([part]) => `the ${part} is another one`),
  ];
}
