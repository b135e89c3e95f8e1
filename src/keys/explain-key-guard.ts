import type { Refusal } from '../http/refusal.ts';
import type { CommitOutcome, Guard } from '../ledger/commit.ts';
import { keyRevoked, refuseExpired } from './admission.ts';

/** The guards of a batch that look at the key that a record names. */
export const keyGuards = ['key_revoked', 'key_expired'] as const satisfies readonly Guard[];

/** The outcome of a batch that was refused because of its record's key. */
export type KeyGuarded = Extract<CommitOutcome, { kind: 'guarded' }> & { readonly guard: (typeof keyGuards)[number] };

/** Whether a batch was refused because its key is revoked, expired, or another account's. */
export function isKeyGuarded(refusal: CommitOutcome): refusal is KeyGuarded {
  return refusal.kind === 'guarded' && keyGuards.some((guard) => guard === refusal.guard);
}

/** The refusal for the client, the same as from the key's lane: `invalid_api_key` or `api_key_expired`. */
export function explainKeyGuard({ guard, figure }: KeyGuarded): Refusal {
  if (guard === 'key_revoked') return keyRevoked;
  return refuseExpired(Number(figure));
}
