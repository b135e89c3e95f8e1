import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const PATIENCE_MS = 10_000;

/**
 * Opens the file in which the local runtime keeps the first ledger. Beside a runtime that is running a single statement
 * waits for its turn; whatever takes longer needs the file alone. Throws when a storage has no ledger.
 */
export function openLedgerFile(storage: string): DatabaseSync {
  const files = readdirSync(storage, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sqlite'));
  for (const file of files) {
    const database = new DatabaseSync(join(storage, file), { timeout: PATIENCE_MS });
    const known = database.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name = 'transfers'`).get();
    if (known?.['n'] === 1) return database;
    database.close();
  }
  throw new Error(`there is no ledger in ${storage}`);
}
