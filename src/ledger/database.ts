import { drizzle } from 'drizzle-orm/d1';

const open = (binding: D1Database) => drizzle(binding);

export type Database = ReturnType<typeof open>;

/** One of each binding for the life of the isolate: what is prepared for a database is prepared once. */
const opened = new WeakMap<D1Database, Database>();

/**
 * Opens D1, always on the primary: what another key of the account wrote a moment ago must be seen, and D1 sends
 * nothing to a replica outside of a session ("Global read replication" of D1).
 */
export function openDatabase(binding: D1Database): Database {
  const known = opened.get(binding);
  if (known) return known;
  const database = open(binding);
  opened.set(binding, database);
  return database;
}
