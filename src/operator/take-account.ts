import { eq } from 'drizzle-orm';
import { type Account, accountColumns, accountNotFound, readAccount, showAccount } from '../accounts/account.ts';
import { type Outcome, accept } from '../http/refusal.ts';
import type { Database } from '../ledger/database.ts';
import { homeColumns, homeOfRow } from '../ledger/homes.ts';
import { findLedger, openLedger } from '../ledger/ledgers.ts';
import { ledgerNumberOf } from '../ledger/record-id.ts';
import { accounts } from '../ledger/schema.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

/** An account that a route names, and the ledger that it is in: its number and its database. */
export interface TakenAccount {
  readonly account: Account;
  readonly ledger: number;
  readonly database: Database;
}

/**
 * Finds the account of an id, in the ledger that it is in now. Refuses with `not_found`, also for an id of an unknown
 * ledger. Throws when D1 fails, and while the account is on its way to another ledger.
 */
export async function takeAccount(bindings: LedgerBindings, id: string): Promise<Outcome<TakenAccount>> {
  const first = findLedger(bindings, id);
  const [row] = first
    ? await first
        .select({ ...accountColumns, ...homeColumns })
        .from(accounts)
        .where(eq(accounts.id, id))
    : [];
  if (!first || !row) return accountNotFound;
  const ledger = homeOfRow(id, row);
  if (ledger === ledgerNumberOf(id)) return accept({ account: showAccount(row), ledger, database: first });
  const database = openLedger(bindings, ledger);
  const account = await readAccount(database, id);
  return account ? accept({ account, ledger, database }) : accountNotFound;
}
