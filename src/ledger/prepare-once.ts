import { type Query, fillPlaceholders } from 'drizzle-orm';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import type { Database } from './database.ts';

/** The methods of Drizzle's prepared statement that are used here. */
interface Prepared {
  getQuery(): Query;
  mapResult(result: unknown, isFromBatch?: boolean): unknown;
  execute(values?: Record<string, unknown>): Promise<unknown>;
}

/** An item of a batch whose result has the type of the query's result. */
export type Bound<Statement extends Prepared> = RunnableQuery<Awaited<ReturnType<Statement['execute']>>, 'sqlite'>;

/**
 * Builds the text of a query once for each database; later calls only bind values. For frequent requests: building the
 * text takes the Worker longer than D1 takes to run it. Values that differ from call to call are `sql.placeholder`s.
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

/** Makes a prepared query and its values an item of a batch. Drizzle has no method for it. */
export function bindPrepared<Statement extends Prepared>(
  query: Statement,
  values: Record<string, unknown>,
): Bound<Statement> {
  const { sql, params } = query.getQuery();
  const filled = { sql, params: fillPlaceholders(params, values) };
  // The members that Drizzle's `batch` reads from each item.
  const prepared = {
    stmt: (query as unknown as { readonly stmt: D1PreparedStatement }).stmt,
    getQuery: () => filled,
    mapResult: (result: unknown, isFromBatch?: boolean) => query.mapResult(result, isFromBatch),
  };
  return { _prepare: () => prepared } as unknown as Bound<Statement>;
}
