import { and, eq, gt, sql } from 'drizzle-orm';
import { type Outcome, type Refusal, accept, refuse } from '../../http/refusal.ts';
import { type Actor, insertAudit } from '../../ledger/audit.ts';
import { commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { type HomeRow, homeColumns } from '../../ledger/homes.ts';
import { findLedger, openLedger } from '../../ledger/ledgers.ts';
import { nameBalanceMovement, transferOfHalf } from '../../ledger/movements/movement.ts';
import { ledgerNumberOf } from '../../ledger/record-id.ts';
import { nextRecordNumber } from '../../ledger/record-number.ts';
import { accounts, balances, exactly, settings } from '../../ledger/schema.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { accountNotFound } from '../account.ts';

/** What keeps an account from moving, as the columns of the view `obstacles_of_moves`, and how the operator is told. */
const obstacles = {
  withdrawal: 'It has a withdrawal of the last 48 hours, which counts for its daily limit.',
  open_withdrawal: 'A withdrawal from it or to it is open.',
  open_deposit: 'A deposit to it is open.',
  open_trade: 'A trade with an account of another ledger is open.',
  open_proposal: 'A proposal about it is open: approve or decline it.',
  allowed_recovery: 'Its holder was allowed to recover it: wait until that is done or over.',
  unsent_events: 'A webhook endpoint of it has events to send.',
} as const;

type Obstacle = keyof typeof obstacles;

const notFrozen = refuse('invalid_state', 'Freeze the account first: it moves while nothing of it changes.');

const changedMeanwhile = refuse('invalid_state', 'Something of the account changed at the same moment. Send it again.');

const unconfirmed = refuse('service_unavailable', 'The move was not confirmed. Send the same request again.', {
  retryAfterSeconds: 1,
});

const notBegun = refuse(
  'invalid_state',
  'This ledger has not begun yet: its keeper gives it its number within a minute.',
);

const movedElsewhere = refuse('invalid_state', 'The account was moved before, and an account moves once.');

/** An account in its first ledger, as a move finds it. */
export interface Leaving {
  readonly accountId: string;
  readonly home: HomeRow;
  readonly status: 'active' | 'frozen';
  /** The number of its newest change, which the lanes of its keys are told. */
  readonly recordNumber: number;
}

/** Reads an account in the ledger that its id names. Refuses with `not_found`. Throws when D1 fails. */
export async function findLeaving(bindings: LedgerBindings, accountId: string): Promise<Outcome<Leaving>> {
  const first = findLedger(bindings, accountId);
  const [row] = first
    ? await first
        .select({ ...homeColumns, status: accounts.status, recordNumber: accounts.recordNumber })
        .from(accounts)
        .where(eq(accounts.id, accountId))
    : [];
  if (!row) return accountNotFound;
  const { status, recordNumber, ...home } = row;
  return accept({ accountId, home, status, recordNumber });
}

/**
 * Why an account cannot leave for a ledger now: it was moved before, is not frozen, something of it is open, or that
 * ledger does not have its number yet. `undefined` when it can. Throws when D1 fails.
 */
export async function findObstacle(
  bindings: LedgerBindings,
  { accountId, home, status }: Leaving,
  to: number,
  now_ms: number,
): Promise<Refusal | undefined> {
  if (home.movedTo !== null) return movedElsewhere;
  if (to === ledgerNumberOf(accountId)) return refuse('invalid_state', 'The account is in this ledger.');
  if (status !== 'frozen') return notFrozen;
  const first = openLedger(bindings, ledgerNumberOf(accountId));
  const [[until], [numbers]] = await Promise.all([
    first.all<Readonly<Record<Obstacle, number>>>(
      sql`SELECT * FROM obstacles_of_moves WHERE account_id = ${accountId}`,
    ),
    openLedger(bindings, to).select({ ledger: settings.ledger }).from(settings),
  ]);
  const names = Object.keys(obstacles) as Obstacle[];
  const obstacle = names.find((name) => until !== undefined && until[name] > now_ms);
  if (obstacle) return refuse('invalid_state', obstacles[obstacle]);
  return numbers?.ledger === to ? undefined : notBegun;
}

/**
 * Has a frozen account leave its first ledger, for good: one batch, in which the database checks that nothing of it is
 * open, says where it goes, and takes out all of its balances. From then on the first ledger refuses every write about
 * it. The lanes of its keys must have been told that it is frozen, after it was read; the caller finishes the move with
 * `finishMove`. Refuses with `invalid_state` when something of it changed since it was read, and with
 * `service_unavailable` when D1 did not say: the account may have left. Throws when D1 cannot be read.
 */
export async function leaveLedger(
  bindings: LedgerBindings,
  { accountId, recordNumber }: Leaving,
  to: number,
  actor: Actor,
): Promise<Outcome<null>> {
  const from = ledgerNumberOf(accountId);
  const first = openLedger(bindings, from);
  const moved = (await readHeld(first, accountId)).map(({ asset, amount }) =>
    transferOfHalf({ id: nameBalanceMovement(accountId, asset), asset, amount, from, to }, 'OUT', accountId),
  );
  const outcome = await commit(
    first,
    [
      insertAudit(first, actor, 'move_account', accountId, { ledger: to, recordNumber }),
      first
        .update(accounts)
        .set({ movedTo: to, arrived: 0, recordNumber: nextRecordNumber(actor.now_ms) })
        .where(eq(accounts.id, accountId)),
    ],
    moved,
  );
  if (outcome.kind === 'committed') return accept(null);
  return outcome.kind === 'guarded' ? changedMeanwhile : unconfirmed;
}

function readHeld(database: Database, accountId: string) {
  return database
    .select({ asset: balances.asset, amount: exactly(balances.amount) })
    .from(balances)
    .where(and(eq(balances.account, accountId), gt(balances.amount, 0n)));
}
