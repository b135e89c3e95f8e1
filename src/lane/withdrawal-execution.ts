import { clearAttempts } from '../accounts/totp.ts';
import { config } from '../env.ts';
import { describeError, logFault } from '../http/log.ts';
import type { CommitOutcome } from '../ledger/commit.ts';
import type { Database } from '../ledger/database.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import {
  type Asker,
  commitWithdrawal,
  describeUnknownWithdrawal,
  explainWithdrawalRefusal,
  toRow,
} from '../wallet/withdrawals/commit-withdrawal.ts';
import type { CreateWithdrawal } from '../wallet/withdrawals/create-withdrawal.ts';
import { type WithdrawalPlan, logLock, planWithdrawal } from '../wallet/withdrawals/plan-withdrawal.ts';
import { type WithdrawalRow, answerWithdrawal, readWithdrawal } from '../wallet/withdrawals/withdrawal.ts';
import { type CommitRefusal, type Execution, type Recollection, overloaded } from './execute-once.ts';

/** What the execution of a withdrawal needs from its lane. */
export interface WithdrawalSurroundings extends Asker {
  readonly database: Database;
  readSnapshot(): Promise<MarketSnapshot | undefined>;
}

/** The steps of one withdrawal, for `executeOnce`, and the row they end with: what the custodian is then asked for. */
export class WithdrawalExecution implements Execution<WithdrawalPlan> {
  readonly #withdrawal: CreateWithdrawal;
  readonly #around: WithdrawalSurroundings;
  #plan: WithdrawalPlan | undefined;
  #row: WithdrawalRow | undefined;

  constructor(withdrawal: CreateWithdrawal, around: WithdrawalSurroundings) {
    this.#withdrawal = withdrawal;
    this.#around = around;
  }

  /** The withdrawal as it was committed here or found in D1; `undefined` before either. */
  get row(): WithdrawalRow | undefined {
    return this.#row;
  }

  async plan() {
    try {
      const planned = await planWithdrawal(this.#withdrawal, {
        ...this.#around,
        totpSecrets: config.TOTP_SECRETS,
        allowlistMode: config.ALLOWLIST_MODE,
        now: () => Date.now(),
      });
      if (planned.ok) this.#plan = planned.value;
      return planned;
    } catch (error) {
      logFault('withdrawal_not_planned', { error: describeError(error) });
      return overloaded;
    }
  }

  async commit(withdrawalId: string, plan: WithdrawalPlan): Promise<CommitOutcome> {
    const { database, accountId } = this.#around;
    let outcome = await this.#take(withdrawalId, plan);
    // Another withdrawal of the account came first, and the sum of both passes the threshold.
    const isTooMuch = outcome.kind === 'guarded' && outcome.guard === 'review_required';
    if (isTooMuch) outcome = await this.#take(withdrawalId, { ...plan, needsReview: true });
    // A right code does not count, whatever else refused; one that another request used first was none.
    const isUsed = outcome.kind === 'guarded' && outcome.guard === 'totp_step_used';
    if (isUsed && plan.isLastAttempt) logLock(accountId);
    const isRefused = outcome.kind === 'floor' || (outcome.kind === 'guarded' && !isUsed);
    if (isRefused && plan.totpStep !== null) await forgiveAttempts(database, accountId);
    return outcome;
  }

  #take(withdrawalId: string, plan: WithdrawalPlan): Promise<CommitOutcome> {
    this.#row = toRow(this.#around, withdrawalId, plan, Date.now());
    return commitWithdrawal(this.#around.database, this.#row, plan);
  }

  answer(withdrawalId: string, plan: WithdrawalPlan) {
    return answerWithdrawal(this.#row ?? toRow(this.#around, withdrawalId, plan, Date.now()));
  }

  isOpen(): boolean {
    return this.#row?.status === 'PROCESSING';
  }

  async recall(withdrawalId: string): Promise<Recollection> {
    const found = await recallWithdrawal(this.#around.database, this.#around.accountId, withdrawalId);
    if (found.kind === 'found') this.#row = found.row;
    return found;
  }

  explain(refusal: CommitRefusal) {
    if (!this.#plan) throw new Error('a withdrawal was refused before it was planned');
    return explainWithdrawalRefusal(refusal, this.#plan);
  }

  describeUnknown(withdrawalId: string) {
    return describeUnknownWithdrawal(withdrawalId);
  }
}

/** The refusal stands whether or not the count could be taken back. */
async function forgiveAttempts(database: Database, accountId: string): Promise<void> {
  try {
    await clearAttempts(database, accountId);
  } catch (error) {
    logFault('attempts_not_cleared', { accountId, error: describeError(error) });
  }
}

/** What a look at a withdrawal's row in D1 found. */
export type WithdrawalRecollection =
  | (Extract<Recollection, { kind: 'found' }> & { readonly row: WithdrawalRow })
  | Exclude<Recollection, { kind: 'found' }>;

/** The answer to a withdrawal, built from its row in D1; it is open while the custodian has it. */
export async function recallWithdrawal(
  database: Database,
  accountId: string,
  withdrawalId: string,
): Promise<WithdrawalRecollection> {
  try {
    const row = await readWithdrawal(database, accountId, withdrawalId);
    if (!row) return { kind: 'absent' };
    return { kind: 'found', answer: answerWithdrawal(row), isOpen: row.status === 'PROCESSING', row };
  } catch (error) {
    logFault('withdrawal_unreadable', { withdrawalId, error: describeError(error) });
    return { kind: 'unknown' };
  }
}
