import { type Query, fillPlaceholders } from 'drizzle-orm';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import type { Database } from './database.ts';

/** What Drizzle's `prepare()` gives. */
interface Prepared {
  getQuery(): Query;
  mapResult(result: unknown, isFromBatch?: boolean): unknown;
  execute(values?: Record<string, unknown>): Promise<unknown>;
}

/** An item of a batch, which gives what the query gives by itself. */
export type Bound<Statement extends Prepared> = RunnableQuery<Awaited<ReturnType<Statement['execute']>>, 'sqlite'>;

/**
 * A query whose text is built once for each database, and only bound after that: for hot paths, since building the
 * text takes the Worker longer than D1 takes to run it. What differs from call to call stands as `sql.placeholder`.
 */
export function prepareOnce<Statement extends Prepared>(
  build: (database: Database) => Statement,
): (database: Database) => Statement {
  const prepared = new WeakMap<Database, Statement>();
  return (database) => {
    const known = prepared.get(database);
    if (known) return known;
    const query = build(database);
    prepared.set(database, query);
    return query;
  };
}

/** A prepared query with its values as an item of a batch, which Drizzle has no method for. */
export function bindPrepared<Statement extends Prepared>(
  query: Statement,
  values: Record<string, unknown>,
): Bound<Statement> {
  const { sql, params } = query.getQuery();
  const filled = { sql, params: fillPlaceholders(params, values) };
  // What a batch asks every item for.
  const prepared = {
    stmt: (query as unknown as { readonly stmt: D1PreparedStatement }).stmt,
    getQuery: () => filled,
    mapResult: (result: unknown, isFromBatch?: boolean) => query.mapResult(result, isFromBatch),
  };
  return { _prepare: () => prepared } as unknown as Bound<Statement>;
}
