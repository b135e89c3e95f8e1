import type { ApiKey } from '../schema.d.ts';
import { State } from './names.tsx';

/** What a key that may withdraw lacks a bound of. */
export function KeyRisks({ of: { scopes, revokedAt, ipAllowlist, expiresAt } }: { readonly of: ApiKey }) {
  if (!scopes.includes('withdraw') || revokedAt !== null) return null;
  return (
    <>
      {ipAllowlist === null && <Risk words="withdraws from any IP address" />}
      {expiresAt === null && <Risk words="never expires" />}
    </>
  );
}

const Risk = ({ words }: { readonly words: string }) => (
  <small class="below risk">
    <State of="unknown" words={words} />
  </small>
);
