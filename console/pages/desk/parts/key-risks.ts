import type { ApiKey } from '../schema.d.ts';

/** What a key that may withdraw lacks a bound of. */
export function listRisks({ scopes, revokedAt, ipAllowlist, expiresAt }: ApiKey): readonly string[] {
  if (!scopes.includes('withdraw') || revokedAt !== null) return [];
  return [
    ...(ipAllowlist === null ? ['works from any IP address'] : []),
    ...(expiresAt === null ? ['never expires'] : []),
  ];
}
