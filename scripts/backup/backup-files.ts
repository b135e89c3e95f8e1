import { appendFileSync, createReadStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Row } from '../databases/database.ts';
import { type Digest, RowDigest } from './rows.ts';

/** What is in a backup. It is written last. */
export const MANIFEST = 'manifest.json';

const SavedTable = z.object({ name: z.string(), rows: z.int(), digest: z.string() });

const SavedDatabase = z.object({
  binding: z.string(),
  schema: z.array(z.object({ type: z.string(), name: z.string(), sql: z.string() })).readonly(),
  /** The newest transfer of a ledger. */
  transfers: z.string().nullable(),
  tables: z.array(SavedTable).readonly(),
});

const Manifest = z.object({ format: z.literal(1), takenAt: z.string(), databases: z.array(SavedDatabase).readonly() });

export type SavedDatabase = z.output<typeof SavedDatabase>;
export type Manifest = z.output<typeof Manifest>;

/** Reads what a backup has. Throws when the folder has none that is whole. */
export function readManifest(folder: string): Manifest {
  return Manifest.parse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')));
}

function pathOf(folder: string, binding: string, table: string): string {
  return join(folder, binding, `${table}.ndjson.gz`);
}

/** The rows of a table: a JSON array on each line, compressed. */
export class BackupFile {
  readonly #name: string;
  readonly #path: string;
  readonly #digest = new RowDigest();

  constructor(folder: string, binding: string, table: string) {
    this.#name = table;
    this.#path = pathOf(folder, binding, table);
    mkdirSync(join(folder, binding), { recursive: true });
    writeFileSync(this.#path, gzipSync(''));
  }

  add(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.#digest.add(rows);
    // Compressed parts one after the other are a compressed file.
    appendFileSync(this.#path, gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
  }

  close(): Digest & { readonly name: string } {
    return { name: this.#name, ...this.#digest.read() };
  }
}

export async function* readRows(folder: string, binding: string, table: string): AsyncGenerator<Row> {
  const input = createReadStream(pathOf(folder, binding, table)).pipe(createGunzip());
  for await (const line of createInterface({ input })) yield JSON.parse(line) as Row;
}
