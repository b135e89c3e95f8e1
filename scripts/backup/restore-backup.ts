import { type Database, type Row, quote } from '../databases/database.ts';
import { type SavedDatabase, readRows } from './backup-files.ts';
import { type Digest, RowDigest, type Table, describeTables, readPages, readSchema } from './rows.ts';

/** D1 takes statements of at most 100,000 bytes. */
const STATEMENT_BYTES = 90_000;

/** How many statements are executed at once: at most 45 million bytes. */
const FILE_STATEMENTS = 500;

/**
 * Restores a database of a backup into an empty one, and compares all of its rows with the backup. Triggers and indexes
 * are made last: the rows were all guarded when they were first written. Rejects when the database is not empty, when
 * the backup is damaged, or when a row is not as it was.
 */
export async function restoreDatabase(database: Database, folder: string, saved: SavedDatabase): Promise<void> {
  if ((await readSchema(database)).length > 0) throw new Error(`${database.binding} is not empty`);
  const tables = describeTables(saved.schema);
  await checkFiles(folder, saved);
  let statements: string[] = [];
  for await (const statement of composeStatements(tables, folder, saved)) {
    statements.push(statement);
    if (statements.length < FILE_STATEMENTS) continue;
    await database.execute(statements);
    statements = [];
  }
  if (statements.length > 0) await database.execute(statements);
  for (const table of tables) {
    const digest = new RowDigest();
    for await (const rows of readPages(database, table)) digest.add(rows);
    compare(`${database.binding} after the restore`, table.name, saved, digest.read());
  }
}

async function* composeStatements(
  tables: readonly Table[],
  folder: string,
  { binding, schema }: SavedDatabase,
): AsyncGenerator<string> {
  for (const { type, sql } of schema) if (type === 'table') yield sql;
  for (const table of tables) yield* composeInserts(table, readRows(folder, binding, table.name));
  for (const { type, sql } of schema) if (type !== 'table') yield sql;
}

/** Compares the files with what the manifest says of them, before anything is written. */
async function checkFiles(folder: string, saved: SavedDatabase): Promise<void> {
  for (const { name } of saved.tables) {
    const digest = new RowDigest();
    for await (const row of readRows(folder, saved.binding, name)) digest.add([row]);
    compare(`the backup of ${saved.binding}`, name, saved, digest.read());
  }
}

function compare(where: string, table: string, saved: SavedDatabase, found: Digest): void {
  const told = saved.tables.find(({ name }) => name === table);
  if (told?.rows === found.rows && told.digest === found.digest) return;
  throw new Error(`${where} has other rows in ${table}: ${found.rows}, and ${told?.rows ?? 'none'} were saved`);
}

/** The rows as statements. SQLite turns their text into the type of each column, so integers of 64 bits stay exact. */
async function* composeInserts({ name, columns }: Table, rows: AsyncIterable<Row>): AsyncGenerator<string> {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const values = columns.map((_, at) => `value ->> ${at}`).join(', ');
  const compose = (texts: readonly string[]) =>
    `INSERT INTO "${name}" (${names}) SELECT ${values} FROM json_each(${quote(`[${texts.join(',')}]`)})`;
  let texts: string[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const text = JSON.stringify(row);
    const size = Buffer.byteLength(quote(text));
    if (texts.length > 0 && bytes + size > STATEMENT_BYTES) {
      yield compose(texts);
      [texts, bytes] = [[], 0];
    }
    texts.push(text);
    bytes += size;
  }
  if (texts.length > 0) yield compose(texts);
}
