import { type Account, accountNotFound, readAccount } from '../accounts/account.ts';
import { type Outcome, accept } from '../http/refusal.ts';
import type { Database } from '../db/database.ts';
import { findLedger } from '../db/ledgers.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

/** An account that a route names, and the database of its ledger. */
export interface TakenAccount {
  readonly account: Account;
  readonly database: Database;
}

/** Finds the account of an id. Refuses with `not_found`, also for an id of an unknown ledger. Throws when D1 fails. */
export async function takeAccount(bindings: LedgerBindings, id: string): Promise<Outcome<TakenAccount>> {
  const database = findLedger(bindings, id);
  const account = database && (await readAccount(database, id));
  return account ? accept({ account, database }) : accountNotFound;
}
