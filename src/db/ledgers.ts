import type { LedgerBindings } from '../platform/bindings.ts';
import { type Database, openDatabase } from './database.ts';
import { BINDING, bindingOf } from './binding-names.ts';
import { FIRST_LEDGER, isRecordId, ledgerNumberOf } from './record-id.ts';

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

/** The numbers of all ledgers, in order. */
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
export function replaceLedgers<Bound extends LedgerBindings>(
  bindings: Bound,
  replace: (database: D1Database) => D1Database,
): Bound {
  const databases = Object.entries(bindings).filter(([name]) => name === bindingOf(FIRST_LEDGER) || BINDING.test(name));
  const replaced = databases.map(([name, database]) => [name, replace(database as D1Database)] as const);
  return { ...bindings, ...Object.fromEntries(replaced) };
}
