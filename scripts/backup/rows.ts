import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type Database, type Row, quote } from '../databases/database.ts';

/** A statement that made a part of the schema. */
export interface SchemaPart {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly isInteger: boolean }[];
  /** The places of the columns of its primary key. */
  readonly key: readonly number[];
}

/** How many rows and which, in whatever order they are added. */
export interface Digest {
  readonly rows: number;
  readonly digest: string;
}

const ROWS_PER_PAGE = 5_000;

/** What made the database, in that order; nothing of what D1 and SQLite add themselves. */
export async function readSchema(database: Database): Promise<SchemaPart[]> {
  const [rows = []] = await database.ask([
    `SELECT type, name, sql FROM sqlite_schema
     WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' ORDER BY rowid`,
  ]);
  return rows.map(([type, name, sql]) => ({ type: type ?? '', name: name ?? '', sql: sql ?? '' }));
}

/** The tables of a schema, in the order in which they were made: what a row refers to comes first. */
export function describeTables(schema: readonly SchemaPart[]): Table[] {
  const memory = new DatabaseSync(':memory:');
  const tables = schema.filter(({ type }) => type === 'table');
  for (const { sql } of tables) memory.exec(sql);
  return tables.map(({ name }) => {
    const found = memory.prepare(`SELECT name, type, pk FROM pragma_table_info(?)`).all(name);
    const columns = found.map((column) => ({ name: String(column['name']), isInteger: column['type'] === 'INTEGER' }));
    const inKey = found.map(({ pk }, at) => ({ at, pk: Number(pk) })).filter(({ pk }) => pk > 0);
    return { name, columns, key: inKey.toSorted((one, other) => one.pk - other.pk).map(({ at }) => at) };
  });
}

/** A statement that reads rows of a table as text. */
export function selectRows({ name, columns }: Table, condition = 'true'): string {
  const texts = columns.map(({ name: column, isInteger }) =>
    isInteger ? `CAST("${column}" AS TEXT) AS "${column}"` : `"${column}"`,
  );
  return `SELECT ${texts.join(', ')} FROM "${name}" WHERE ${condition}`;
}

/** Reads rows of a table page by page, in the order of its key. A table without a key is read at once. */
export async function* readPages(database: Database, table: Table, condition = 'true'): AsyncGenerator<Row[]> {
  const key = table.key.map((at) => table.columns[at]).filter((column) => column !== undefined);
  const names = key.map(({ name }) => `"${table.name}"."${name}"`).join(', ');
  let after = 'true';
  for (;;) {
    const order = key.length > 0 ? ` ORDER BY ${names} LIMIT ${ROWS_PER_PAGE}` : '';
    const [rows = []] = await database.ask([`${selectRows(table, `(${condition}) AND ${after}`)}${order}`]);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (key.length === 0 || last === undefined || rows.length < ROWS_PER_PAGE) return;
    const values = table.key.map((at, place) => (key[place]?.isInteger ? last[at] : quote(last[at] ?? '')));
    after = `(${names}) > (${values.join(', ')})`;
  }
}

/** Adds up the SHA-256 of rows, so that their order makes no difference. */
export class RowDigest {
  #rows = 0;
  #sum = 0n;

  add(rows: readonly Row[]): void {
    for (const row of rows) this.#sum += BigInt(`0x${createHash('sha256').update(JSON.stringify(row)).digest('hex')}`);
    this.#rows += rows.length;
  }

  read(): Digest {
    return { rows: this.#rows, digest: BigInt.asUintN(256, this.#sum).toString(16).padStart(64, '0') };
  }
}
