import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Who is signed in, as the console's Worker says. */
export interface SessionState {
  readonly email: string;
  readonly accountId: string;
  readonly level: 'look' | 'act';
  readonly isRecovered: boolean;
  readonly passkeys: number;
  /** Where programs reach the exchange's API. */
  readonly apiOrigin: string;
}

/** The account as the console's Worker says. */
export interface AccountState {
  readonly account: { readonly id: string; readonly label: string; readonly status: 'active' | 'frozen' };
  readonly heldUntil_ms: number | null;
  readonly recoveryAllowedUntil_ms: number | null;
  readonly totp: { readonly enabled: boolean };
  readonly dailyWithdrawals: { readonly limit: string; readonly used: string; readonly remaining: string };
  readonly allowlist: { readonly mode: 'off' | 'strict'; readonly cooling_hours: number };
}

/** What every page knows, and how it is read again after a change. */
export interface SignedIn {
  readonly session: SessionState;
  readonly account: AccountState;
  readonly reload: () => void;
}

/**
 * Whether nothing can be changed before a passkey was used or the account recovered. Without a passkey, or just after a
 * recovery, the link alone is enough to add one.
 */
export function mustReturn({ level, passkeys, isRecovered }: SessionState): boolean {
  return level === 'look' && passkeys > 0 && !isRecovered;
}

/** How a session that may only look becomes one that may act. */
export function nameWayIn(session: SessionState): string {
  return mustReturn(session) ? 'Use your passkey' : 'Add a passkey';
}

/** Whether the account takes a new key or address now. If not, the notice above each page says why. */
export function mayAdd({ session, account }: SignedIn): boolean {
  return session.level === 'act' && account.account.status === 'active' && account.heldUntil_ms === null;
}

export const SignedInContext = createContext<SignedIn | undefined>(undefined);

/** Who is signed in. Only pages behind the sign-in call it. */
export function useSignedIn(): SignedIn {
  const signedIn = useContext(SignedInContext);
  if (!signedIn) throw new Error('nobody is signed in');
  return signedIn;
}
