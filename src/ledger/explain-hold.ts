import { type Refusal, refuse } from '../http/refusal.ts';
import type { CommitOutcome } from './commit.ts';

/** The refusal of what waits until the hold after a recovery is over. */
export function refuseHeld(heldUntil_ms: number): Refusal {
  const until = new Date(heldUntil_ms).toISOString();
  return refuse(
    'account_recovered',
    `The account was recovered lately. Until ${until} it has no withdrawals, new API keys or new approved addresses.`,
  );
}

/** The refusal of a batch that a hold stopped; `undefined` for every other outcome. */
export function explainHold(outcome: CommitOutcome): Refusal | undefined {
  return outcome.kind === 'guarded' && outcome.guard === 'account_recovered'
    ? refuseHeld(Number(outcome.figure))
    : undefined;
}
