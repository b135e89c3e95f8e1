import type { z } from '@hono/zod-openapi';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { findLedger } from '../db/ledgers.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type WithdrawalRow, readWithdrawal } from '../withdrawals/withdrawal.ts';

/** The path of a withdrawal of an account. */
export const WithdrawalPath = RecordPath.extend({ withdrawalId: Id });

/** A withdrawal that a route names, and the database that holds it. */
export interface TakenWithdrawal {
  readonly row: WithdrawalRow;
  readonly database: Database;
}

/** Finds the withdrawal of a path. Refuses with `not_found`, also for an unknown ledger. Throws when D1 fails. */
export async function takeWithdrawal(
  bindings: LedgerBindings,
  { id, withdrawalId }: z.output<typeof WithdrawalPath>,
): Promise<Outcome<TakenWithdrawal>> {
  const database = findLedger(bindings, withdrawalId);
  const row = database && (await readWithdrawal(database, id, withdrawalId));
  return row ? accept({ row, database }) : refuse('not_found', 'The account has no withdrawal of that id.');
}
