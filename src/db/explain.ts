import { type Refusal, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import { scaleOf } from '../money/assets.ts';
import { type CommitOutcome, type Guard, commit } from './commit.ts';
import type { Database } from './database.ts';

/**
 * What is said for each guard that a statement may meet. They are declared beside the statement, and put together by
 * those who send it. Some refusals name the figure of the guard's message.
 */
export type GuardRefusals = Partial<Record<Guard, Refusal | ((figure: bigint) => Refusal)>>;

/** The refusal for the guard that refused a batch; `undefined` for any other outcome, and for a guard that is not declared. */
export function explain(outcome: CommitOutcome, refusals: GuardRefusals): Refusal | undefined {
  if (outcome.kind !== 'guarded') return undefined;
  const refusal = refusals[outcome.guard];
  return typeof refusal === 'function' ? refusal(outcome.figure ?? 0n) : refusal;
}

/** The same for a client's request, for which every guard that its statements may meet is declared: any other is a bug. */
export function explainAll(outcome: CommitOutcome & { readonly kind: 'guarded' }, refusals: GuardRefusals): Refusal {
  const refusal = explain(outcome, refusals);
  if (refusal) return refusal;
  throw new Error(`a statement met the guard ${outcome.guard}, which is not declared for it`);
}

/**
 * For an operator's change that needs two people, or whose proposal can no longer be approved. The area of the
 * operator's routes turns the first into a proposal.
 */
export const approvalRefusals: GuardRefusals = {
  two_people_needed: refuse('approval_required', 'Two people must agree on this.'),
  proposed_by_oneself: refuse('invalid_state', 'Nobody approves their own proposal.'),
  proposal_decided: refuse('invalid_state', 'The proposal was decided meanwhile. Read it again.'),
  proposal_expired: refuse('invalid_state', 'The proposal has expired. Make it again.'),
};

/** Says that it is not known whether a change was made. */
export const changeUnconfirmed = refuseUnconfirmed('The change was not confirmed. Send it again.');

/**
 * Commits a change. What the database refuses has the refusal of its guard, or of a record that `exists`; all else is
 * `unconfirmed`. `undefined` once it is committed.
 */
export async function commitOrRefuse(
  database: Database,
  records: Parameters<typeof commit>[1],
  { exists, ...refusals }: GuardRefusals & { readonly exists?: Refusal } = approvalRefusals,
  unconfirmed: Refusal = changeUnconfirmed,
): Promise<Refusal | undefined> {
  const outcome = await commit(database, records);
  if (outcome.kind === 'committed') return undefined;
  return (outcome.kind === 'exists' ? exists : explain(outcome, refusals)) ?? unconfirmed;
}

/** The refusal of what waits until the hold after a recovery is over. */
export function refuseHeld(heldUntil_ms: number): Refusal {
  const until = new Date(heldUntil_ms).toISOString();
  return refuse(
    'account_recovered',
    `The account was recovered lately. Until ${until} it has no withdrawals, new API keys or new approved addresses.`,
  );
}

/** For what the hold after a recovery stops. */
export const holdRefusals: GuardRefusals = { account_recovered: (figure) => refuseHeld(Number(figure)) };

/**
 * The refusal of a client whose balance is too small. It says what the database found in the batch that it refused, what
 * was needed, and which part of that is a fee.
 */
export function refuseBalance(
  { asset, balance }: Pick<Extract<CommitOutcome, { kind: 'floor' }>, 'asset' | 'balance'>,
  detail: string,
  required: Atoms,
  fee?: Atoms,
): Refusal {
  const write = (amount: Atoms) => formatAmount(amount, scaleOf(asset));
  return refuse('insufficient_balance', detail, {
    members: {
      asset,
      ...(balance !== undefined && { available: write(balance) }),
      required: write(required),
      ...(fee !== undefined && { fee: write(fee) }),
    },
  });
}
