import type { LedgerBindings } from '../platform/bindings.ts';
import { type Database, openDatabase } from './database.ts';
import { FIRST_LEDGER, MAX_LEDGER, RecordId, ledgerNumberOf } from './record-id.ts';

/** The name of the binding of a ledger's database. */
type BindingName = 'DB' | `DB_${number}`;

const BINDING = /^DB_(\d+)$/;

function bindingOf(ledger: number): BindingName {
  return ledger === FIRST_LEDGER ? 'DB' : `DB_${ledger}`;
}

/**
 * The database that an id from outside names, of an account, a key or a record. `undefined` for a text that is no id,
 * and for an id of a ledger that does not exist: both name nothing.
 */
export function findLedger(bindings: LedgerBindings, id: string): Database | undefined {
  return RecordId.safeParse(id).success ? findNumberedLedger(bindings, ledgerNumberOf(id)) : undefined;
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

/** The database of the directory, which keeps what is unique in the whole exchange: that of ledger 0. */
export function directoryOf(bindings: LedgerBindings): Database {
  return openDatabase(bindings.DB);
}

/** The database of ledger 0, for what belongs to no account: the settings of the exchange and its audit. */
export function firstLedger(bindings: LedgerBindings): Database {
  return openDatabase(bindings.DB);
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

/**
 * The faults of the ledgers' bindings, each a variable and its fault. The numbers must go from 0 on without a gap, so
 * that a forgotten binding stops the start of the Worker, instead of failing requests of that ledger's accounts.
 */
export function findBindingFaults(bindings: Readonly<Record<string, unknown>>): string[] {
  const named = Object.keys(bindings).filter((name) => BINDING.test(name));
  const isListed = (name: string) => named.includes(name);
  return [
    ...(bindings['DB'] === undefined ? ['DB is not bound'] : []),
    ...named.flatMap((name) => {
      const number = Number(BINDING.exec(name)?.[1]);
      if (name !== bindingOf(number) || number < 1 || number > MAX_LEDGER) return [`${name} is the name of no ledger`];
      const before = bindingOf(number - 1);
      return number === 1 || isListed(before) ? [] : [`${name} is bound, and ${before} is not`];
    }),
  ];
}
