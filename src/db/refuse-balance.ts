import { type Refusal, refuse } from '../http/answer.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import { scaleOf } from '../money/assets.ts';
import type { CommitOutcome } from './commit.ts';

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
