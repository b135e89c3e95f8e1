import { type Outcome, accept, refuse, refuseField } from '../http/answer.ts';
import { type Database, findLedger, findNumberedLedger } from '../db/database.ts';
import { type Account, accountNotFound, readAccount } from '../accounts/account.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { readWithdrawal } from '../withdrawals/withdrawal.ts';

/** An account, and the database of its ledger. */
export interface FoundAccount {
  readonly account: Account;
  readonly database: Database;
}

/** The account of an id; `not_found` also for an id of an unknown ledger. Throws when D1 fails. */
export async function findAccount(
  bindings: LedgerBindings,
  { id }: { readonly id: string },
): Promise<Outcome<FoundAccount>> {
  const database = findLedger(bindings, id);
  const account = database && (await readAccount(database, id));
  return account ? accept({ account, database }) : accountNotFound;
}

/**
 * A path that names a row by an id, in the ledger of that id: it finds the row and the database that has it. Refuses
 * with `not_found`. Throws when D1 fails.
 */
export function aRow<Row>(read: (database: Database, id: string) => Promise<Row | undefined>, detail: string) {
  return {
    params: RecordPath,
    find: async (
      bindings: LedgerBindings,
      { id }: { readonly id: string },
    ): Promise<Outcome<{ readonly row: Row; readonly database: Database }>> => {
      const database = findLedger(bindings, id);
      const row = database && (await read(database, id));
      return row ? accept({ row, database }) : refuse('not_found', detail);
    },
  };
}

/** A path that names an account. */
export const anAccount = { params: RecordPath, find: findAccount };

/** A path that names a withdrawal of an account. */
export const aWithdrawal = {
  params: RecordPath.extend({ withdrawalId: Id }),
  find: (bindings: LedgerBindings, { id: accountId, withdrawalId }: { id: string; withdrawalId: string }) =>
    aRow((database, id) => readWithdrawal(database, accountId, id), 'The account has no withdrawal of that id.').find(
      bindings,
      { id: withdrawalId },
    ),
};

/** The database of the ledger of a number, which the member or parameter at `pointer` gives. */
export function findLedgerAt(pointer: string, bindings: LedgerBindings, ledger: number): Outcome<Database> {
  const database = findNumberedLedger(bindings, ledger);
  return database ? accept(database) : refuseLedger(pointer);
}

/** Refuses a number that is the one of no ledger, in the member or parameter at `pointer`. */
export function refuseLedger(pointer: string) {
  return refuseField(pointer, 'unknown_value', 'is the number of no ledger of this exchange');
}
