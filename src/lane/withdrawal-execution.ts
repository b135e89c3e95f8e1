import { logLock } from '../accounts/check-totp-code.ts';
import { clearAttempts } from '../accounts/totp.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type Outcome, overloaded } from '../http/answer.ts';
import { type Database, ledgerOf } from '../db/database.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import type { CommitOutcome } from '../db/commit.ts';
import {
  type Requester,
  commitWithdrawal,
  describeUnknownWithdrawal,
  explainWithdrawalRefusal,
  toRow,
} from '../withdrawals/commit-withdrawal.ts';
import type { CreateWithdrawal } from '../withdrawals/create-withdrawal.ts';
import { type WithdrawalContext, type WithdrawalPlan, planWithdrawal } from '../withdrawals/plan-withdrawal.ts';
import { type WithdrawalRow, answerWithdrawal, readWithdrawal } from '../withdrawals/withdrawal.ts';
import type { Attempt, Execution, LookUp } from './once.ts';
import type { Payouts } from './payouts.ts';

/** What executing a withdrawal needs from its lane. */
export type WithdrawalExecutionContext = Requester &
  Omit<WithdrawalContext, 'now'> & { readonly bindings: LedgerBindings; readonly payouts: Payouts };

/** The steps of one withdrawal. The custodian pays it afterwards, outside the lane's turn. */
export function executeWithdrawal(
  withdrawal: CreateWithdrawal,
  context: WithdrawalExecutionContext,
): Execution<WithdrawalPlan, WithdrawalRow> {
  const { bindings, accountId, payouts } = context;
  return {
    plan: () => plan(withdrawal, context),
    commit: (withdrawalId, planned) => take(context, withdrawalId, planned),
    lookUp: (withdrawalId) => lookUpWithdrawal(ledgerOf(bindings, withdrawalId), accountId, withdrawalId),
    answer: answerWithdrawal,
    finish: {
      isOpen: isWithCustodian,
      run: (row, isFresh) => payouts.payInTime(ledgerOf(bindings, row.id), row, isFresh),
    },
    describeUnknown: describeUnknownWithdrawal,
  };
}

/** Whether a withdrawal waits for the custodian. */
export function isWithCustodian({ status }: WithdrawalRow): boolean {
  return status === 'PROCESSING';
}

async function plan(
  withdrawal: CreateWithdrawal,
  context: WithdrawalExecutionContext,
): Promise<Outcome<WithdrawalPlan>> {
  try {
    return await planWithdrawal(withdrawal, { ...context, now: () => Date.now() });
  } catch (error) {
    logFault('withdrawal_not_planned', { error: describeError(error) });
    return overloaded;
  }
}

async function take(
  context: WithdrawalExecutionContext,
  withdrawalId: string,
  planned: WithdrawalPlan,
): Promise<Attempt<WithdrawalRow>> {
  const { accountId, database } = context;
  let { row, outcome } = await write(context, withdrawalId, planned);
  // Another withdrawal of the account came first, and the sum of both exceeds the threshold.
  if (outcome.kind === 'guarded' && outcome.guard === 'review_required') {
    ({ row, outcome } = await write(context, withdrawalId, { ...planned, needsReview: true }));
  }
  // A correct code is not a guess, so it is not counted. One that another request used first is wrong.
  const isUsed = outcome.kind === 'guarded' && outcome.guard === 'totp_step_used';
  if (isUsed && planned.isLastAttempt) logLock(accountId);
  const isRefused = outcome.kind === 'floor' || (outcome.kind === 'guarded' && !isUsed);
  if (isRefused && planned.totpStep !== null) await forgiveAttempts(database, accountId);
  switch (outcome.kind) {
    case 'committed':
      return { kind: 'committed', row };
    case 'floor':
    case 'guarded':
      return { kind: 'refused', refusal: explainWithdrawalRefusal(outcome, planned) };
    case 'overloaded':
      return { kind: 'refused', refusal: overloaded };
    case 'exists':
    case 'unknown':
      return { kind: 'unknown' };
  }
}

async function write(
  context: WithdrawalExecutionContext,
  withdrawalId: string,
  planned: WithdrawalPlan,
): Promise<{ readonly row: WithdrawalRow; readonly outcome: CommitOutcome }> {
  const row = toRow(context, withdrawalId, planned, Date.now());
  return { row, outcome: await commitWithdrawal(context.database, row, planned) };
}

/** The refusal is the same whether or not the count could be undone. */
async function forgiveAttempts(database: Database, accountId: string): Promise<void> {
  try {
    await clearAttempts(database, accountId);
  } catch (error) {
    logFault('attempts_not_cleared', { accountId, error: describeError(error) });
  }
}

/** Looks a withdrawal up in D1. */
export async function lookUpWithdrawal(
  database: Database,
  accountId: string,
  withdrawalId: string,
): Promise<LookUp<WithdrawalRow>> {
  try {
    const row = await readWithdrawal(database, accountId, withdrawalId);
    return row ? { kind: 'found', row } : { kind: 'absent' };
  } catch (error) {
    logFault('withdrawal_unreadable', { withdrawalId, error: describeError(error) });
    return { kind: 'unknown' };
  }
}
