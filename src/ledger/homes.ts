import { eq } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import type { Database } from './database.ts';
import { AccountOnItsWay } from './database-fault.ts';
import { findLedger, listLedgers, openLedger } from './ledgers.ts';
import { FIRST_LEDGER, ledgerNumberOf } from './record-id.ts';
import { accounts } from './schema.ts';

/**
 * An account is in the ledger that its id names, its first one, unless it was moved: then it is in another, its home.
 * Its records are where they were made, and their ids say where.
 */

/** An account, and the ledger that it is in. */
export interface HousedAccount {
  readonly accountId: string;
  /** The number of its home. */
  readonly ledger: number;
}

/** The columns of an account's row in its first ledger that say where it is. */
export const homeColumns = { movedTo: accounts.movedTo, arrived: accounts.arrived };

/** What the row of an account in its first ledger says of where it is. */
export interface HomeRow {
  readonly movedTo: number | null;
  /** 0 while it is on its way. */
  readonly arrived: number;
}

/** The ledger that an account's row in its first ledger names. Throws while it is on its way: then it is in neither. */
export function homeOfRow(accountId: string, { movedTo, arrived }: HomeRow): number {
  if (arrived !== 1) throw new AccountOnItsWay(`the account ${accountId} is on its way to another ledger`);
  return movedTo ?? ledgerNumberOf(accountId);
}

/**
 * Reads in which ledger an account is. An id of no account, and of one that never moved, is in the ledger that it
 * names; `undefined` where that does not exist. With one ledger nothing is read. Throws when D1 fails, and while the
 * account is on its way.
 */
export async function findHome(bindings: LedgerBindings, accountId: string): Promise<number | undefined> {
  const first = findLedger(bindings, accountId);
  if (!first) return undefined;
  if (listLedgers(bindings).length === 1) return FIRST_LEDGER;
  const [row] = await first.select(homeColumns).from(accounts).where(eq(accounts.id, accountId));
  return row ? homeOfRow(accountId, row) : ledgerNumberOf(accountId);
}

/**
 * Reads in which ledgers accounts are, as `findHome` does. An account of a ledger that does not exist is left out. Throws
 * when `findHome` does.
 */
export async function findHomes(
  bindings: LedgerBindings,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const homes = await Promise.all(accountIds.map(async (id) => [id, await findHome(bindings, id)] as const));
  return new Map(homes.flatMap(([id, home]) => (home === undefined ? [] : [[id, home] as const])));
}

/**
 * Confirms that an account is still in the ledger in which something of it was just read: what was read of one that
 * left meanwhile may be what it left behind. Throws when it is not, and when D1 fails.
 */
export async function confirmHome(bindings: LedgerBindings, { accountId, ledger }: HousedAccount): Promise<void> {
  const home = await findHome(bindings, accountId);
  if (home !== ledger) throw new AccountOnItsWay(`the account ${accountId} has left ledger ${ledger}`);
}

/** The database of an account's home. */
export function openHome(bindings: LedgerBindings, { ledger }: HousedAccount): Database {
  return openLedger(bindings, ledger);
}

/** The databases that have records of an account, the newest first: its home's, and that of its first ledger. */
export function listHistory(bindings: LedgerBindings, account: HousedAccount): readonly [Database, ...Database[]] {
  const first = ledgerNumberOf(account.accountId);
  return first === account.ledger
    ? [openHome(bindings, account)]
    : [openHome(bindings, account), openLedger(bindings, first)];
}
