import type { SQL } from 'drizzle-orm';
import type { Database } from './database.ts';

/**
 * SQL of our own as a statement of a batch. Drizzle's batch binds nothing to raw SQL, so values stand in the text, as
 * its dialect quotes them. Columns come as D1 gives them: atoms are selected as text.
 */
export function readRaw<Row>(database: Database, query: SQL) {
  return database.all<Row>(query.inlineParams());
}

/** The same for SQL that writes. */
export function writeRaw(database: Database, query: SQL) {
  return database.run(query.inlineParams());
}
