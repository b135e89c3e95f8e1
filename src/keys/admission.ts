import { equalDigests } from '../platform/digest.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import type { GuardRefusals } from '../db/explain.ts';
import { isIpListed } from './ip-allowlist.ts';
import type { KeyRecord } from './record.ts';
import type { Scope } from './scope.ts';

/** The key that a request presents, and what it wants to do. */
export interface Admission {
  readonly keyId: string;
  readonly tokenHash: string;
  /** The scope that the operation needs; `null` for public operations, which take any key. */
  readonly scope: Scope | null;
  readonly ip: string;
}

/**
 * Whether a key whose tag is right may do what it asks for, in the order of the error table: the key itself, its
 * expiry, its scope, and the address it is used from. A frozen account is admitted, since it may read and get its
 * replays; `decideEffect` refuses new effects.
 */
export function decideAdmission(
  record: KeyRecord | undefined,
  admission: Admission,
  now_ms: number,
): Outcome<KeyRecord> {
  if (!record || record.revokedAt_ms !== null || !equalDigests(record.tokenHash, admission.tokenHash)) {
    return keyRevoked;
  }
  if (record.expiresAt_ms !== null && record.expiresAt_ms <= now_ms) {
    return refuseExpired(record.expiresAt_ms);
  }
  if (admission.scope !== null && !record.scopes.includes(admission.scope)) return refuseScope(admission.scope);
  if (record.ipAllowlist !== null && !isIpListed(admission.ip, record.ipAllowlist)) {
    return refuse('ip_not_allowed', `The API key may not be used from ${admission.ip}.`);
  }
  return accept(record);
}

/** Whether a key that was admitted may have a new effect: not while its account is frozen. */
export function decideEffect(record: KeyRecord): Outcome<KeyRecord> {
  return record.accountStatus === 'frozen' ? accountFrozen : accept(record);
}

/** The refusal of a key that is unknown or was revoked, in its lane or in the batch. */
export const keyRevoked = refuse('invalid_api_key', 'The API key is unknown or was revoked.');

/** The refusal of a key that has expired, in its lane or in the batch. */
export function refuseExpired(expiresAt_ms: number) {
  return refuse('api_key_expired', `The API key expired at ${new Date(expiresAt_ms).toISOString()}.`);
}

/** The refusal of what a frozen account may not do, in its lane or in the batch. */
export const accountFrozen = refuse(
  'account_frozen',
  'The account is frozen. It can be read; orders and withdrawals are refused.',
);

/** The refusal of a key that lacks a scope, at the edge or in its lane. */
export function refuseScope(scope: Scope) {
  return refuse('insufficient_scope', `This operation needs a key with the scope "${scope}".`);
}

/** For a record that names a key, which is revoked, expired or another account's by now: the same as from the key's lane. */
export const keyRefusals = {
  key_revoked: keyRevoked,
  key_expired: (figure: bigint) => refuseExpired(Number(figure)),
} satisfies GuardRefusals;
