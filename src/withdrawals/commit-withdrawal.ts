import { sql } from 'drizzle-orm';
import { totpRequired } from '../accounts/check-totp-code.ts';
import { spendTotpStep, totpInvalid } from '../accounts/totp.ts';
import { type Refusal, refuse } from '../http/answer.ts';
import { accountFrozen, keyRefusals } from '../keys/record.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { ledgerNumberOf, newRecordId } from '../db/record-id.ts';
import { accounts, withdrawals } from '../db/schema.ts';
import { type Transfer, house, nextTransfer } from '../db/transfers.ts';
import { explainAll, holdRefusals, refuseBalance } from '../db/explain.ts';
import { type WithdrawalPlan, addressNotAllowlisted, refuseLimit } from './plan-withdrawal.ts';
import { FIRST_ASK_MS, type WithdrawalRow, payInside } from './withdrawal.ts';

export interface Requester {
  readonly accountId: string;
  readonly keyId: string;
}

/**
 * The row that a plan makes. A payout inside the ledger is COMPLETED by its batch; one that needs a review is PENDING.
 * One to another ledger is PROCESSING, as one on a chain is.
 */
export function toRow(
  { accountId, keyId }: Requester,
  id: string,
  plan: WithdrawalPlan,
  now_ms: number,
): WithdrawalRow {
  const { asset, network, address, amount, fee, usdValue, needsReview, recipient, clientOrderId } = plan;
  const isHere = recipient !== null && ledgerNumberOf(recipient) === ledgerNumberOf(id);
  return {
    accountId,
    id,
    keyId,
    type: recipient === null ? 'ONCHAIN_WITHDRAWAL' : 'INTERNAL_WITHDRAWAL',
    asset,
    network,
    address,
    amount,
    fee,
    usdValue,
    status: needsReview ? 'PENDING' : isHere ? 'COMPLETED' : 'PROCESSING',
    committedAt: now_ms,
    releasedAt: needsReview ? null : now_ms,
    txHash: null,
    reason: null,
    note: null,
    recipient,
    receiptId: recipient === null || (isHere && needsReview) ? null : newRecordId(now_ms, ledgerNumberOf(recipient)),
    heldReason: null,
    heldSince: null,
    clientOrderId,
  };
}

/**
 * Takes the money for the row that `toRow` made, in one batch: it marks the code's step as used and records the
 * withdrawal, whose trigger moves amount and fee out of the account. Inside Bureau it is paid at once. The database
 * checks everything again; if it refuses, nothing happened.
 */
export function commitWithdrawal(database: Database, row: WithdrawalRow, plan: WithdrawalPlan): Promise<CommitOutcome> {
  const { accountId, id, committedAt: now_ms } = row;
  const { totpStep, allowlistRequired } = plan;
  const record = database.insert(withdrawals).values({
    ...row,
    totpStep,
    allowlistRequired,
    nextAskAt: row.status === 'PROCESSING' ? now_ms + FIRST_ASK_MS : null,
    takenTransfer: nextTransfer(),
    paidTransfer: row.status === 'COMPLETED' ? sql`${nextTransfer()} + 1` : null,
    // The limit at the moment of the write. The reconciliation compares the row with it, even if the limit changes later.
    dailyLimit: sql`(SELECT daily_withdrawal_limit FROM ${accounts} WHERE id = ${accountId})`,
  });
  const debit: Transfer = {
    debit: accountId,
    credit: house.payouts,
    asset: plan.asset,
    amount: plan.amount + plan.fee,
    kind: 'withdrawal',
    reference: id,
  };
  const transfers = [debit, ...payInside(row)];
  if (totpStep === null) return commit(database, [record], transfers);
  // The step comes first, because the record's guard checks it.
  return commit(database, [spendTotpStep(database, accountId, totpStep), record], transfers);
}

/** The refusal of a withdrawal during a halt or a pause, in the batch or at its approval. */
export const withdrawalsSuspended = refuse('withdrawals_suspended', 'Withdrawals are suspended by the operator.', {
  retryAfterSeconds: 60,
});

/** The client's refusal for each reason of the database's. */
export function explainWithdrawalRefusal(
  refusal: Extract<CommitOutcome, { kind: 'floor' | 'guarded' }>,
  { asset, amount, fee, limit }: Pick<WithdrawalPlan, 'asset' | 'amount' | 'fee' | 'limit'>,
): Refusal {
  if (refusal.kind === 'floor') {
    return refuseBalance(
      refusal,
      `The balance of ${asset} is too small for the amount and its fee.`,
      amount + fee,
      fee,
    );
  }
  return explainAll(refusal, {
    ...keyRefusals,
    ...holdRefusals,
    account_frozen: accountFrozen,
    withdrawals_suspended: withdrawalsSuspended,
    totp_required: totpRequired,
    totp_step_used: totpInvalid,
    address_not_allowlisted: addressNotAllowlisted,
    daily_limit_exceeded: (figure) => refuseLimit({ limit, used: figure }),
  });
}

export function describeUnknownWithdrawal(withdrawalId: string): Refusal {
  return refuse(
    'outcome_unknown',
    'It is not known yet whether the withdrawal was taken. Repeat the request with the same Idempotency-Key, or read the withdrawal by its id.',
    { retryAfterSeconds: 1, members: { withdrawalId } },
  );
}
