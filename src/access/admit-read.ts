import type { Context } from 'hono';
import { type Outcome, accept } from '../http/answer.ts';
import type { Scope } from '../keys/rights.ts';
import { admit } from './admit.ts';
import { BoundedMap, type KeyEnvironment } from './authenticate.ts';

/**
 * The accounts of the keys that this isolate may read for before their lanes have answered: those whose newest read
 * their lane has admitted here. One that was refused waits for its lane until that admits it again, so a key at its
 * limit, or one that was revoked, costs no database.
 */
export const admittedKeys = new BoundedMap<string, string>(1_000);

/** What was read for a key that was admitted, and the id of the key's account. */
interface AdmittedRead<Value> {
  readonly accountId: string;
  readonly value: Value;
}

/**
 * Admits a request that only reads, counts it in the read bucket, and reads. Where the key was admitted here before,
 * both are done at once: `read` begins with the account that the key had then, and its result is thrown away if the
 * lane refuses the request or names another account. So `read` must change nothing. Refuses as `admit` does, whatever
 * `read` came to. Throws what `read` throws.
 */
export async function admitRead<Value>(
  c: Context<KeyEnvironment>,
  scope: Scope | null,
  read: (accountId: string) => Promise<Value>,
): Promise<Outcome<AdmittedRead<Value>>> {
  const { keyId } = c.get('key');
  const known = admittedKeys.get(keyId);
  const begun = known === undefined ? undefined : begin(() => read(known));
  const admitted = await admit(c, scope, 'read');
  if (!admitted.ok) {
    admittedKeys.delete(keyId);
    return admitted;
  }
  const accountId = admitted.value;
  admittedKeys.set(keyId, accountId);
  const value = await (begun && known === accountId ? begun : read(accountId));
  return accept({ accountId, value });
}

/** Begins a read whose result, or failure, may never be looked at. */
function begin<Value>(read: () => Promise<Value>): Promise<Value> {
  const begun = (async () => read())();
  begun.catch(() => undefined);
  return begun;
}
