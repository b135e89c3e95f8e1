import type { LedgerBindings } from '../platform/bindings.ts';
import { type Database, directoryOf, ledgerOf } from '../db/database.ts';
import { type HubBindings, readSnapshot } from '../markets/read-hub.ts';
import { type GateBindings, letOrdersEnd } from '../orders/place-order.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { Custody } from '../custody/custody.ts';
import { payOut } from './pay-out.ts';
import { type WithdrawalRow, answerWithdrawal, findNamed, readWithdrawal } from './withdrawal.ts';
import { logLock } from '../accounts/check-totp-code.ts';
import { clearAttempts } from '../accounts/totp.ts';
import { tryOrLog } from '../platform/log.ts';
import { type Refusal, overloaded } from '../http/answer.ts';
import {
  type Requester,
  commitWithdrawal,
  describeUnknownWithdrawal,
  explainWithdrawalRefusal,
  toRow,
} from './commit-withdrawal.ts';
import type { CreateWithdrawal } from './create-withdrawal.ts';
import { type WithdrawalContext, type WithdrawalPlan, planWithdrawal, refuseReused } from './plan-withdrawal.ts';
import { type Attempt, type Caller, type LaneOperation, lookUp } from '../lane/once.ts';

/** How long a POST waits for the custodian. The whole answer must arrive within 8 s. */
const DEADLINE_MS = 6_500;

type WithdrawalExecutionContext = Requester & WithdrawalContext;

export interface WithdrawalSettings extends Pick<WithdrawalContext, 'totpSecrets' | 'allowlistMode'> {
  readonly custody: Custody;
}

/** The largest age of the hub's snapshot that a withdrawal is valued with. */
const SNAPSHOT_MAX_AGE_MS = 1_000;

/**
 * The POST of a withdrawal, as its key's lane executes it. The custodian pays it afterwards, outside the lane's turn; if
 * that takes too long, the answer is PROCESSING. `tell` wakes webhooks: the receiver and the operator may be told too.
 */
export function createWithdrawal(
  bindings: LedgerBindings & HubBindings & GateBindings,
  { custody, totpSecrets, allowlistMode }: WithdrawalSettings,
  tell: (caller: Caller) => Promise<void>,
): LaneOperation<CreateWithdrawal, WithdrawalPlan, WithdrawalRow> {
  /** Requests for the same withdrawal wait for the same answer. */
  const underWay = new Map<string, Promise<WithdrawalRow>>();
  /** The withdrawal after the custodian's answer, or as it is when that takes too long; the payout then continues. */
  const payInTime = async (row: WithdrawalRow, isFresh: boolean): Promise<WithdrawalRow> => {
    const context = { database: ledgerOf(bindings, row.id), ledgers: bindings, custody, now: () => Date.now() };
    const paying = underWay.get(row.id) ?? payOut(context, row, isFresh).finally(() => underWay.delete(row.id));
    underWay.set(row.id, paying);
    try {
      return await withDeadline(DEADLINE_MS, () => paying);
    } catch {
      return row;
    }
  };
  const contextOf = ({ accountId, keyId }: Caller): WithdrawalExecutionContext => ({
    accountId,
    keyId,
    database: ledgerOf(bindings, accountId),
    directory: directoryOf(bindings),
    totpSecrets,
    allowlistMode,
    readSnapshot: () => readSnapshot(bindings, SNAPSHOT_MAX_AGE_MS),
    now: () => Date.now(),
  });
  return {
    bucket: 'withdraw',
    runsBeside: false,
    plan: (withdrawal, caller) =>
      tryOrLog('withdrawal_not_planned', {}, overloaded, () => planWithdrawal(withdrawal, contextOf(caller))),
    begin: (caller) => ({
      commit: async (withdrawalId, planned) =>
        (await letOrdersEnd(bindings, caller.accountId))
          ? take(contextOf(caller), withdrawalId, planned)
          : { kind: 'refused', refusal: overloaded },
      lookUp: (id) => lookUp(id, () => readWithdrawal(ledgerOf(bindings, id), caller.accountId, id)),
      answer: answerWithdrawal,
      finish: { isOpen: ({ status }) => status === 'PROCESSING', run: payInTime },
      describeUnknown: describeUnknownWithdrawal,
    }),
    tellsOthers: true,
    tell,
  };
}

async function take(
  context: WithdrawalExecutionContext,
  withdrawalId: string,
  planned: WithdrawalPlan,
): Promise<Attempt<WithdrawalRow>> {
  const { accountId, database } = context;
  const write = async (wanted: WithdrawalPlan) => {
    const row = toRow(context, withdrawalId, wanted, context.now());
    return { row, outcome: await commitWithdrawal(database, row, wanted) };
  };
  let { row, outcome } = await write(planned);
  // Another withdrawal of the account came first, and the sum of both exceeds the threshold.
  if (outcome.kind === 'guarded' && outcome.guard === 'review_required') {
    ({ row, outcome } = await write({ ...planned, needsReview: true }));
  }
  // A correct code is not a guess, so it is not counted. One that another request used first is wrong.
  const isUsed = outcome.kind === 'guarded' && outcome.guard === 'totp_step_used';
  if (isUsed && planned.isLastAttempt) logLock(accountId);
  const isRefused = outcome.kind === 'floor' || (outcome.kind === 'guarded' && !isUsed);
  if (isRefused && planned.totpStep !== null) {
    // The refusal is the same whether or not the count could be undone.
    await tryOrLog('attempts_not_cleared', { accountId }, undefined, () => clearAttempts(database, accountId));
  }
  if (outcome.kind === 'guarded' && outcome.guard === 'client_order_id_reused') {
    return { kind: 'refused', refusal: await refuseNamed(database, row) };
  }
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

/** The refusal of a withdrawal whose name another one got since it was planned. */
async function refuseNamed(database: Database, { accountId, id, clientOrderId }: WithdrawalRow): Promise<Refusal> {
  const first = await lookUp(id, () => findNamed(database, accountId, clientOrderId ?? ''));
  return first.kind === 'found' ? refuseReused(first.row) : overloaded;
}
