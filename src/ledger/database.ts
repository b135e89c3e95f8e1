import { drizzle } from 'drizzle-orm/d1';

/**
 * Opens D1 for one operation, always on the primary: what another key of the account wrote a moment ago must be
 * seen (a `first-primary` session; read replication is off in v1).
 */
export function openDatabase(database: D1Database) {
  // A session has the two methods that Drizzle calls, `prepare` and `batch`.
  return drizzle(database.withSession('first-primary') as unknown as D1Database);
}

export type Database = ReturnType<typeof openDatabase>;
