import type { Context } from 'hono';
import { type Outcome, accept } from '../http/refusal.ts';
import type { Scope } from '../keys/scope.ts';
import { admit } from './admit.ts';
import { type HousedAccount, confirmHome } from '../ledger/homes.ts';
import { AdmittedKeys, isSame } from './admitted-keys.ts';
import type { KeyEnvironment } from './authenticate.ts';

/** The keys that this isolate may read for before their lanes have answered. */
export const admittedKeys = new AdmittedKeys();

/** What was read for a key that was admitted, and the key's account. */
export interface AdmittedRead<Value> {
  readonly account: HousedAccount;
  readonly value: Value;
}

/**
 * Admits a request that only reads, counts it in the read bucket, and reads. Where the key was admitted here before,
 * both are done at once: `read` begins with the account that the key had then, and its result is thrown away if the
 * lane refuses the request or names another account, or another ledger that it is in. So `read` must change nothing.
 * Refuses as `admit` does, whatever `read` came to. Throws what `read` throws, and when the account left for another
 * ledger meanwhile.
 */
export async function admitRead<Value>(
  c: Context<KeyEnvironment>,
  scope: Scope | null,
  read: (account: HousedAccount) => Promise<Value>,
): Promise<Outcome<AdmittedRead<Value>>> {
  const { keyId } = c.get('key');
  const known = admittedKeys.find(keyId, Date.now());
  const begun = known === undefined ? undefined : begin(() => read(known));
  const admitted = await admit(c, scope, 'read');
  if (!admitted.ok) {
    admittedKeys.noteRefused(keyId, admitted, Date.now());
    return admitted;
  }
  const account = admitted.value;
  admittedKeys.noteAdmitted(keyId, account);
  const isRead = begun && known && isSame(known, account);
  const value = await (isRead ? begun : read(account));
  // Only a frozen account may leave its ledger.
  if (account.isFrozen) await confirmHome(c.env, account);
  return accept({ account, value });
}

/** Begins a read whose result, or failure, may never be looked at. */
function begin<Value>(read: () => Promise<Value>): Promise<Value> {
  const begun = (async () => read())();
  begun.catch(() => undefined);
  return begun;
}
