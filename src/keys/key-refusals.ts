import type { GuardRefusals } from '../db/explain.ts';
import { keyRevoked, refuseExpired } from './admission.ts';

/** For a record that names a key, which is revoked, expired or another account's by now: the same as from the key's lane. */
export const keyRefusals = {
  key_revoked: keyRevoked,
  key_expired: (figure: bigint) => refuseExpired(Number(figure)),
} satisfies GuardRefusals;
