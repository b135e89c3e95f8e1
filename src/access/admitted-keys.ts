import type { Refusal } from '../http/answer.ts';

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
