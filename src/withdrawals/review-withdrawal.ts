import { sql } from 'drizzle-orm';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { accountFrozen } from '../keys/record.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { ledgerNumberOf, newRecordId } from '../db/record-id.ts';
import { settings, withdrawals } from '../db/schema.ts';
import { nextTransfer } from '../db/transfers.ts';
import { type GuardRefusals, approvalRefusals, changeUnconfirmed, explain, holdRefusals } from '../db/explain.ts';
import { withdrawalsSuspended } from './commit-withdrawal.ts';
import { isAcross } from './pay-across.ts';
import { type PayoutContext, payOut } from './pay-out.ts';
import { addressNotAllowlisted } from './plan-withdrawal.ts';
import { type WithdrawalEnd, moveFrom, settleWithdrawal } from './settle-withdrawal.ts';
import { FIRST_ASK_MS, type WithdrawalRow, isRow, readWithdrawal, payInside } from './withdrawal.ts';

export interface ReviewContext extends PayoutContext {
  /** The mode if the operator has set none. */
  readonly allowlistMode: 'off' | 'strict';
}

/**
 * Approves a withdrawal that waits for its review: it goes to the custodian, or to the receiving account inside. Its
 * batch checks again what may have changed since the money was taken: freeze, halts, pause, the key, and with a strict
 * allowlist the address. It does not check the code or the daily limit, which the debit has used. Refuses with
 * `account_frozen`, `account_recovered`, `withdrawals_suspended`, `address_not_allowlisted`, with `invalid_state` when
 * it is not waiting or its key was revoked, and `service_unavailable` when the outcome in D1 is unknown. After a
 * refusal it still waits.
 */
export async function approveWithdrawal(
  context: ReviewContext,
  row: WithdrawalRow,
  reason: string,
  actor: Actor,
): Promise<Outcome<WithdrawalRow>> {
  if (row.status !== 'PENDING') return notIn(row, 'PENDING');
  const approved = { ...row, status: row.recipient === null || isAcross(row) ? 'PROCESSING' : 'COMPLETED' } as const;
  const { database, allowlistMode } = context;
  const release = { releasedAt: actor.now_ms };
  const isOpen = approved.status === 'PROCESSING';
  const paid = { receiptId: newRecordId(actor.now_ms, ledgerNumberOf(row.id)), paidTransfer: nextTransfer() };
  const record = database
    .update(withdrawals)
    .set({
      status: moveFrom('PENDING', approved.status),
      ...release,
      ...(isOpen ? { nextAskAt: actor.now_ms + FIRST_ASK_MS } : paid),
      allowlistRequired: sql`coalesce((SELECT allowlist_mode FROM ${settings}), ${allowlistMode}) = 'strict'`,
    })
    .where(isRow(row));
  const audit = insertAudit(database, actor, 'approve_withdrawal', row.id, { because: reason });
  const outcome = await commit(database, [record, audit], payInside(approved));
  if (outcome.kind !== 'committed') return explain(outcome, reviewRefusals) ?? readOpen(outcome);
  const released = { ...approved, ...release };
  return accept(isOpen ? await payOut(context, released, true) : released);
}

/**
 * Ends a withdrawal by hand: one that waits for its review is rejected, one that is stuck with the custodian is settled
 * either way. The database accepts only the first end. Refuses with `invalid_state` when it is in another state or
 * another ledger settles it, and `service_unavailable` when the outcome in D1 is unknown.
 */
export async function settleByHand(
  database: Database,
  row: WithdrawalRow,
  expected: 'PENDING' | 'PROCESSING',
  settlement: WithdrawalEnd,
  reason: string,
  actor: Actor,
): Promise<Outcome<WithdrawalRow>> {
  if (row.status !== expected) return notIn(row, expected);
  if (isAcross(row) && expected === 'PROCESSING') return settledByLedger;
  const outcome = await settleWithdrawal(database, row, settlement, { actor, reason });
  if (outcome.kind !== 'committed') return explain(outcome, approvalRefusals) ?? readOpen(outcome);
  return accept((await readWithdrawal(database, row.accountId, row.id)) ?? row);
}

/**
 * Why the database refused an approval, for the operator; any other guard means that the withdrawal has changed
 * meanwhile.
 */
const reviewRefusals: GuardRefusals = {
  ...holdRefusals,
  account_frozen: accountFrozen,
  withdrawals_suspended: withdrawalsSuspended,
  address_not_allowlisted: addressNotAllowlisted,
  key_revoked: refuse(
    'invalid_state',
    'The API key that asked for the withdrawal was revoked since. Reject it instead.',
  ),
};

const settledByLedger = refuse(
  'invalid_state',
  'It is paid to an account of another ledger, and that ledger’s answer settles it.',
);

function notIn(row: WithdrawalRow, expected: string) {
  return refuse('invalid_state', `The withdrawal is ${row.status}, not ${expected}.`);
}

function readOpen(outcome: CommitOutcome) {
  if (outcome.kind !== 'guarded') return changeUnconfirmed;
  return refuse('invalid_state', 'The withdrawal moved on meanwhile. Read it again.');
}
