import { drizzle } from 'drizzle-orm/d1';
import type { LedgerBindings } from '../platform/bindings.ts';
import { BINDING, bindingOf, FIRST_LEDGER, isRecordId, ledgerNumberOf } from './record-id.ts';
import { type Query, fillPlaceholders } from 'drizzle-orm';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';

const open = (binding: D1Database) => drizzle(binding);

export type Database = ReturnType<typeof open>;

/** One for each binding in an isolate, so that `prepareOnce` prepares a statement once for each database. */
const opened = new WeakMap<D1Database, Database>();

/**
 * Opens D1. All queries go to the primary, so a read sees what another key of the account has just written: D1 uses
 * replicas only within a session (Cloudflare's documentation of D1, "Global read replication").
 */
export function openDatabase(binding: D1Database): Database {
  const database = opened.get(binding) ?? open(binding);
  opened.set(binding, database);
  return database;
}

/**
 * The database that an id from outside names, of an account, a key or a record. `undefined` for a text that is no id,
 * and for an id of a ledger that does not exist: both name nothing.
 */
export function findLedger(bindings: LedgerBindings, id: string): Database | undefined {
  return isRecordId(id) ? findNumberedLedger(bindings, ledgerNumberOf(id)) : undefined;
}

/** The database of an account, a key or a record that is known to exist. Throws when its ledger does not exist. */
export function ledgerOf(bindings: LedgerBindings, id: string): Database {
  const database = findLedger(bindings, id);
  if (!database) throw new Error(`the ledger of ${id} is not bound`);
  return database;
}

/** The database of a ledger by its number; `undefined` when it does not exist. */
export function findNumberedLedger(bindings: LedgerBindings, ledger: number): Database | undefined {
  const binding = bindings[bindingOf(ledger)];
  return binding && openDatabase(binding);
}

/** The database of a ledger that is known to exist, by its number. Throws when it does not exist. */
export function openLedger(bindings: LedgerBindings, ledger: number): Database {
  const database = findNumberedLedger(bindings, ledger);
  if (!database) throw new Error(`ledger ${ledger} is not bound`);
  return database;
}

export function listLedgers(bindings: LedgerBindings): number[] {
  const ledgers = [FIRST_LEDGER];
  while (bindings[bindingOf(ledgers.length)]) ledgers.push(ledgers.length);
  return ledgers;
}

/** The database of the directory, which keeps what is unique in the whole exchange: that of ledger 0. */
export function directoryOf(bindings: LedgerBindings): Database {
  return openLedger(bindings, FIRST_LEDGER);
}

/** The database of ledger 0, for what belongs to no account: the settings of the exchange and its audit. */
export function firstLedger(bindings: LedgerBindings): Database {
  return openLedger(bindings, FIRST_LEDGER);
}

/** The bindings with each database replaced by the result of `replace`, which gets the bound one. */
export function replaceLedgers<Given extends LedgerBindings>(
  bindings: Given,
  replace: (database: D1Database) => D1Database,
): Given {
  const databases = Object.entries(bindings).filter(([name]) => name === bindingOf(FIRST_LEDGER) || BINDING.test(name));
  const replaced = databases.map(([name, database]) => [name, replace(database as D1Database)] as const);
  return { ...bindings, ...Object.fromEntries(replaced) };
}

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
    const query = prepared.get(database) ?? build(database);
    prepared.set(database, query);
    return query;
  };
}

/**
 * Makes a prepared query and its values an item of a batch. Drizzle has no method for it. Throws when the value of a
 * placeholder is missing.
 */
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
