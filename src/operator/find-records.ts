import type { LedgerBindings } from '../platform/bindings.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { findLedger, type Database } from '../db/database.ts';
import { type Account, accountNotFound, readAccount } from '../accounts/account.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import type { z } from '@hono/zod-openapi';
import { type WithdrawalRow, readWithdrawal } from '../withdrawals/withdrawal.ts';

/** The account of a path and the database of its ledger; `not_found` also for an id of an unknown ledger. Throws when D1 fails. */
export async function findAccount(
  bindings: LedgerBindings,
  { id }: { readonly id: string },
): Promise<Outcome<FoundAccount>> {
  const database = findLedger(bindings, id);
  const account = database && (await readAccount(database, id));
  return account ? accept({ account, database }) : accountNotFound;
}

/** An account that a path names, and the database of its ledger. */
export interface FoundAccount {
  readonly account: Account;
  readonly database: Database;
}

/** The path of a withdrawal of an account. */
export const WithdrawalPath = RecordPath.extend({ withdrawalId: Id });

/** The same for a withdrawal. */
export async function findWithdrawal(
  bindings: LedgerBindings,
  { id, withdrawalId }: z.output<typeof WithdrawalPath>,
): Promise<Outcome<{ readonly row: WithdrawalRow; readonly database: Database }>> {
  const database = findLedger(bindings, withdrawalId);
  const row = database && (await readWithdrawal(database, id, withdrawalId));
  return row ? accept({ row, database }) : refuse('not_found', 'The account has no withdrawal of that id.');
}

/** Refuses a number that is the one of no ledger, in the member or parameter at `pointer`. */
export function refuseLedger(pointer: string) {
  return refuse('invalid_request', 'The request is not valid.', {
    errors: [{ pointer, code: 'unknown_value', detail: 'is the number of no ledger of this exchange' }],
  });
}
