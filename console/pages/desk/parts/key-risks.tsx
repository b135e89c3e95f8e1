import type { ApiKey } from '../schema.d.ts';
import { State } from './names.tsx';

/** Whether a key may take money away. */
const isRisky = ({ scopes, revokedAt }: ApiKey) => scopes.includes('withdraw') && revokedAt === null;

/** What a key that may withdraw lacks a bound of, a line for each. */
export function KeyRisks({ of: key }: { readonly of: ApiKey }) {
  const { ipAllowlist, expiresAt } = key;
  if (!isRisky(key) || (ipAllowlist !== null && expiresAt !== null)) return null;
  return (
    <p class="risks">
      {ipAllowlist === null && <Risk words="The key withdraws from any IP address" />}
      {expiresAt === null && <Risk words="The key never expires" />}
    </p>
  );
}

/** What a key has no bound of, which is a risk where it may withdraw. */
export function Unbound({ of: key, words }: { readonly of: ApiKey; readonly words: string }) {
  return isRisky(key) ? <Risk words={words} /> : <>{words}</>;
}

const Risk = ({ words }: { readonly words: string }) => (
  <span class="risk">
    <State of="unknown" words={words} />
  </span>
);
