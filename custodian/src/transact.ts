import type { DatabaseSync } from 'node:sqlite';

/**
 * Runs `write` in one transaction. It is synchronous, so nothing else of this process runs in between. When it fails,
 * throws what went wrong: on a full disk SQLite has rolled back by itself, and another ROLLBACK would hide that.
 */
export function transact<T>(database: DatabaseSync, write: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = write();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
