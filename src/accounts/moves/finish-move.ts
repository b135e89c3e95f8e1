import { and, eq, inArray, sql } from 'drizzle-orm';
import { insertAudit } from '../../ledger/audit.ts';
import { type CommitOutcome, commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { claimNames, nameHome } from '../../ledger/directory.ts';
import { homeColumns } from '../../ledger/homes.ts';
import { directoryOf, ledgerOf, openLedger } from '../../ledger/ledgers.ts';
import { nameBalanceMovement, transferOfHalf } from '../../ledger/movements/movement.ts';
import { ledgerNumberOf } from '../../ledger/record-id.ts';
import { accounts, exactly, movements } from '../../ledger/schema.ts';
import { nextTransfer } from '../../ledger/transfers.ts';
import { assetSymbols } from '../../money/assets.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { describeError, logFault } from '../../platform/log.ts';
import { insertCopies, readCopies } from './copied-rows.ts';

/**
 * How a move stands after an attempt to finish it. `refused`: the account has not left, or its home takes it in never.
 */
export type MoveEnd = 'finished' | 'refused' | 'unknown';

/** How many moves a keeper finishes in a sweep. */
const MAX_FINISHED = 20;

/**
 * Finishes the move of an account that has left its first ledger: its home takes it in, the directory says where it is,
 * and then its first ledger does. Each step is made once, however often this is called. Throws when D1 cannot be read.
 */
export async function finishMove(bindings: LedgerBindings, accountId: string, now_ms: number): Promise<MoveEnd> {
  const first = ledgerOf(bindings, accountId);
  const [row] = await first.select(homeColumns).from(accounts).where(eq(accounts.id, accountId));
  if (!row || row.movedTo === null) return 'refused';
  if (row.arrived === 1) return 'finished';
  const home = openLedger(bindings, row.movedTo);
  if (!(await isThere(home, accountId))) {
    const outcome = await arrive(first, home, accountId, row.movedTo, now_ms);
    if (outcome.kind !== 'committed' && !(await isThere(home, accountId))) {
      const isOpen = outcome.kind === 'unknown' || outcome.kind === 'overloaded';
      if (!isOpen) logFault('account_not_received', { accountId, error: JSON.stringify(outcome) });
      return isOpen ? 'unknown' : 'refused';
    }
  }
  await claimNames(directoryOf(bindings), [{ ...nameHome(accountId), holder: String(row.movedTo) }]);
  const noted = await commit(first, [first.update(accounts).set({ arrived: 1 }).where(eq(accounts.id, accountId))]);
  return noted.kind === 'committed' ? 'finished' : 'unknown';
}

/**
 * Finishes the moves out of a ledger that were cut off, for its keeper. Throws when D1 cannot be read in the ledger
 * itself; a move that fails is tried again at the next sweep.
 */
export async function finishMoves(bindings: LedgerBindings, ledger: number, now_ms: number): Promise<void> {
  const open = await openLedger(bindings, ledger)
    .select({ id: accounts.id })
    .from(accounts)
    // Written out as in the index: SQLite would not use it for a bound parameter.
    .where(sql`${accounts.arrived} = 0`)
    .limit(MAX_FINISHED);
  for (const { id } of open) {
    try {
      await finishMove(bindings, id, now_ms);
    } catch (error) {
      logFault('move_not_finished', { accountId: id, error: describeError(error) });
    }
  }
}

async function isThere(home: Database, accountId: string): Promise<boolean> {
  const found = await home.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, accountId));
  return found.length > 0;
}

/**
 * Has the home take the account in: one batch copies what it has, and writes the in halves of all its balances. The
 * account is as it was, frozen too. What it has can no longer change in its first ledger, so the copy is exact.
 */
async function arrive(
  first: Database,
  home: Database,
  accountId: string,
  to: number,
  now_ms: number,
): Promise<CommitOutcome> {
  const from = ledgerNumberOf(accountId);
  const [copies, [held], halves] = await Promise.all([
    readCopies(first, accountId, now_ms),
    first
      .select({ holder: accounts.holder, heldUntil: accounts.heldUntil })
      .from(accounts)
      .where(eq(accounts.id, accountId)),
    readHalves(first, accountId),
  ]);
  if (!held) throw new Error('an account that has left its ledger is not there');
  const moved = halves.map((half) => ({ ...half, from, to }));
  return commit(
    home,
    [
      insertAudit(home, { role: 'reconciliation', now_ms }, 'receive_account', accountId, { from }),
      ...insertCopies(home, copies),
      // After its keys and addresses: what two people agreed on, or a recovery held back, was decided where they were
      // made.
      home.update(accounts).set(held).where(eq(accounts.id, accountId)),
      ...moved.map(({ id, asset, amount }) =>
        home.insert(movements).values({
          accountId,
          id,
          half: 'IN',
          asset,
          amount,
          ledger: to,
          peer: from,
          purpose: 'ACCOUNT',
          transfer: nextTransfer(),
          recordId: accountId,
        }),
      ),
    ],
    moved.map((movement) => transferOfHalf(movement, 'IN', accountId)),
  );
}

/** The halves by which the balances of an account have left its first ledger. Throws when D1 fails. */
function readHalves(first: Database, accountId: string) {
  const ids = assetSymbols.map((asset) => nameBalanceMovement(accountId, asset));
  return first
    .select({ id: movements.id, asset: movements.asset, amount: exactly(movements.amount) })
    .from(movements)
    .where(and(eq(movements.accountId, accountId), inArray(movements.id, ids)));
}
