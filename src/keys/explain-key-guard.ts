import type { Refusal } from '../http/refusal.ts';
import type { CommitOutcome, Guard } from '../ledger/commit.ts';
import { keyRevoked, refuseExpired } from './admission.ts';

/** The guards of a batch that look at the key that a record names. */
export const keyGuards = ['key_revoked', 'key_expired'] as const satisfies readonly Guard[];

/** How a batch was refused for the sake of the key that its record names. */
export type KeyGuarded = Extract<CommitOutcome, { kind: 'guarded' }> & { readonly guard: (typeof keyGuards)[number] };

/** Whether a batch was refused for the sake of its key: one that was revoked, expired, or is none of this account. */
export function isKeyGuarded(refusal: CommitOutcome): refusal is KeyGuarded {
  return refusal.kind === 'guarded' && keyGuards.some((guard) => guard === refusal.guard);
}

/** What a client is told then: the same as where the key's own lane finds it, `invalid_api_key` or `api_key_expired`. */
export function explainKeyGuard({ guard, figure }: KeyGuarded): Refusal {
  if (guard === 'key_revoked') return keyRevoked;
  return refuseExpired(Number(figure));
}
