import { and, eq } from 'drizzle-orm';
import { type Outcome, accept, refuse } from '../../http/refusal.ts';
import { type Actor, insertAudit } from '../../ledger/audit.ts';
import { type CommitOutcome, commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { withdrawals } from '../../ledger/schema.ts';
import { type Transfer, house } from '../../ledger/transfers.ts';
import { findOwner } from '../addresses/find-owner.ts';
import type { Custody } from '../custody/custody.ts';
import { insertReceipt } from './commit-withdrawal.ts';
import { payOut } from './pay-out.ts';
import { type Settlement, moveFrom, settleWithdrawal } from './settle-withdrawal.ts';
import { type WithdrawalRow, readWithdrawal } from './withdrawal.ts';

/**
 * Lets a withdrawal that waits for its review go on: to the custodian, or to the account inside that it is for.
 * Refuses with `invalid_state` when it does not wait, and `service_unavailable` when D1 leaves it open.
 */
export async function approveWithdrawal(
  database: Database,
  custody: Custody,
  row: WithdrawalRow,
  reason: string,
  actor: Actor,
): Promise<Outcome<WithdrawalRow>> {
  if (row.status !== 'PENDING') return notIn(row, 'PENDING');
  const outcome =
    row.type === 'ONCHAIN_WITHDRAWAL'
      ? await release(database, row, reason, actor)
      : await deliver(database, row, reason, actor);
  if (outcome.kind !== 'committed') return readOpen(outcome);
  if (row.type === 'INTERNAL_WITHDRAWAL') return accept({ ...row, status: 'COMPLETED' });
  return accept(await payOut(database, custody, { ...row, status: 'PROCESSING' }, true, () => Date.now()));
}

function release(database: Database, row: WithdrawalRow, reason: string, actor: Actor): Promise<CommitOutcome> {
  return commit(database, [
    database
      .update(withdrawals)
      .set({ status: moveFrom('PENDING', 'PROCESSING') })
      .where(ownRow(row)),
    insertAudit(database, actor, 'approve_withdrawal', row.id, { because: reason }),
  ]);
}

async function deliver(database: Database, row: WithdrawalRow, reason: string, actor: Actor): Promise<CommitOutcome> {
  const recipient = await findOwner(database, row.network, row.address);
  if (recipient === undefined) throw new Error('an address of this house has no owner any more');
  const record = database
    .update(withdrawals)
    .set({ status: moveFrom('PENDING', 'COMPLETED') })
    .where(ownRow(row));
  const receipt = insertReceipt(database, recipient, row, actor.now_ms);
  const audit = insertAudit(database, actor, 'approve_withdrawal', row.id, { because: reason });
  const transfer: Transfer = {
    debit: house.payouts,
    credit: recipient,
    asset: row.asset,
    amount: row.amount,
    kind: 'withdrawal',
    reference: row.id,
    ts_ms: actor.now_ms,
  };
  return commit(database, [record, receipt, audit], [transfer]);
}

/**
 * Ends a withdrawal by hand: one that waits for its review is rejected, one that is stuck with the custodian is
 * settled either way. The database lets only the first end of it stand. Refuses with `invalid_state` when it is not
 * in the state named, and `service_unavailable` when D1 leaves it open.
 */
export async function settleByHand(
  database: Database,
  row: WithdrawalRow,
  expected: 'PENDING' | 'PROCESSING',
  settlement: Settlement,
  reason: string,
  actor: Actor,
): Promise<Outcome<WithdrawalRow>> {
  if (row.status !== expected) return notIn(row, expected);
  const outcome = await settleWithdrawal(database, row, settlement, actor.now_ms, { actor, reason });
  if (outcome.kind !== 'committed') return readOpen(outcome);
  return accept((await readWithdrawal(database, row.accountId, row.id)) ?? row);
}

function ownRow(row: WithdrawalRow) {
  return and(eq(withdrawals.accountId, row.accountId), eq(withdrawals.id, row.id));
}

function notIn(row: WithdrawalRow, expected: string) {
  return refuse('invalid_state', `The withdrawal is ${row.status}, not ${expected}.`);
}

function readOpen(outcome: CommitOutcome) {
  if (outcome.kind === 'guarded') return refuse('invalid_state', 'The withdrawal moved on meanwhile. Read it again.');
  return refuse('service_unavailable', 'The change was not confirmed. Send it again.', { retryAfterSeconds: 1 });
}
