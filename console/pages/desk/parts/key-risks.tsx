import type { ApiKey } from '../schema.d.ts';
import { State } from './names.tsx';

/** Whether a key may take money away. */
export const isRisky = ({ scopes, revokedAt }: ApiKey) => scopes.includes('withdraw') && revokedAt === null;

/** What a key that may withdraw lacks a bound of. */
export function KeyRisks({ of: key }: { readonly of: ApiKey }) {
  const { ipAllowlist, expiresAt } = key;
  if (!isRisky(key)) return null;
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
