import { type Refusal, type Outcome, accept } from '../http/answer.ts';
import type { Context } from 'hono';
import type { Scope } from '../keys/rights.ts';
import { admit } from './admit.ts';
import type { KeyEnvironment } from './authenticate.ts';

/** How long a key's lane is asked first after a refusal that names no time. */
const PAUSE_AFTER_REFUSAL_S = 5;

/** How many keys are remembered; the oldest is forgotten first. */
const MAX_KEYS = 1_000;

/** What this isolate knows of a key that its lane has admitted. */
interface AdmittedKey {
  readonly accountId: string;
  /** From when on its reads may begin before its lane has answered. */
  readonly trusted_ms: number;
}

/**
 * The keys whose lanes have admitted them for this isolate, and their accounts. Their reads begin while the lane is
 * still asked; the lane alone decides whether the result is shown. A key that was refused has to wait for its lane
 * again for a while, so that a key at its limit, or one that was revoked, costs no database.
 */
export class AdmittedKeys {
  readonly #keys = new Map<string, AdmittedKey>();

  /** The account of a key whose reads may begin now; else `undefined`. */
  find(keyId: string, now_ms: number): string | undefined {
    const key = this.#keys.get(keyId);
    return key && now_ms >= key.trusted_ms ? key.accountId : undefined;
  }

  /** Notes that a lane has admitted its key. A pause after a refusal goes on. */
  noteAdmitted(keyId: string, accountId: string): void {
    if (this.#keys.get(keyId)?.accountId === accountId) return;
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size < MAX_KEYS) break;
      this.#keys.delete(oldest);
    }
    this.#keys.set(keyId, { accountId, trusted_ms: 0 });
  }

  /** Notes that a lane has refused its key, or that it cannot be reached. */
  noteRefused(keyId: string, { retryAfterSeconds = PAUSE_AFTER_REFUSAL_S }: Refusal, now_ms: number): void {
    const key = this.#keys.get(keyId);
    if (key) this.#keys.set(keyId, { ...key, trusted_ms: now_ms + retryAfterSeconds * 1_000 });
  }
}

/** The keys that this isolate may read for before their lanes have answered. */
export const admittedKeys = new AdmittedKeys();

/** What was read for a key that was admitted, and the id of the key's account. */
export interface AdmittedRead<Value> {
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
  const known = admittedKeys.find(keyId, Date.now());
  const begun = known === undefined ? undefined : begin(() => read(known));
  const admitted = await admit(c, scope, 'read');
  if (!admitted.ok) {
    admittedKeys.noteRefused(keyId, admitted, Date.now());
    return admitted;
  }
  const accountId = admitted.value;
  admittedKeys.noteAdmitted(keyId, accountId);
  const value = await (begun && known === accountId ? begun : read(accountId));
  return accept({ accountId, value });
}

/** Begins a read whose result, or failure, may never be looked at. */
function begin<Value>(read: () => Promise<Value>): Promise<Value> {
  const begun = (async () => read())();
  begun.catch(() => undefined);
  return begun;
}
