import { drizzle } from 'drizzle-orm/d1';

const open = (binding: D1Database) => drizzle(binding);

export type Database = ReturnType<typeof open>;

/** One for each binding in an isolate, so that `prepareOnce` prepares a statement once for each database. */
const opened = new WeakMap<D1Database, Database>();

/**
 * Opens D1. All queries go to the primary, so a read sees what another key of the account has just written: D1 uses
 * replicas only within a session (Cloudflare's documentation of D1, "Global read replication").
 */
export function openDatabase(binding: D1Database): Database {
  const known = opened.get(binding);
  if (known) return known;
  const database = open(binding);
  opened.set(binding, database);
  return database;
}
