import type { KeyRecord } from '../keys/record.ts';
import type { ObjectState } from '../platform/object-state.ts';

/** The revocation of a lane's key. */
export interface RevokeCall {
  readonly accountId: string;
  readonly now_ms: number;
}

/** The revoked key as its lane knows it; `null` if the lane knows none of that account. */
export interface RevokeReply {
  readonly record: KeyRecord | null;
}

/**
 * The record of a lane's key, kept in the object. Reads may arrive in another order than they were made, so a record
 * never replaces one with a higher number. A revoked key stays revoked whatever a record says.
 */
export class HeldRecord {
  readonly #state: ObjectState;
  #record: KeyRecord | undefined;
  #revokedAt_ms: number | undefined;

  constructor(state: ObjectState) {
    this.#state = state;
    this.#record = state.read('record') as KeyRecord | undefined;
    this.#revokedAt_ms = state.read('revoked') as number | undefined;
  }

  /** The record; `undefined` if none was read yet or the key has none. */
  get current(): KeyRecord | undefined {
    return this.#record && { ...this.#record, revokedAt_ms: this.#record.revokedAt_ms ?? this.#revokedAt_ms ?? null };
  }

  /** Whether the key is known to be revoked, with or without a record. Then nothing needs to be read. */
  get isRevoked(): boolean {
    return this.#revokedAt_ms !== undefined;
  }

  /**
   * Takes a record that was read from D1, unless a newer one is held. Returns the held number if it is higher than the
   * one read, which also happens after the database was restored to an earlier time; else `undefined`.
   */
  take(read: KeyRecord | undefined): number | undefined {
    if (!read) return undefined;
    if (read.revokedAt_ms !== null) this.#keepRevoked(read.revokedAt_ms);
    if (this.#record && read.number < this.#record.number) return this.#record.number;
    this.#record = read;
    this.#state.write('record', read);
    return undefined;
  }

  /** Revokes the key for good, with or without a record, unless it is known to belong to another account. */
  revoke({ accountId, now_ms }: RevokeCall): RevokeReply {
    if (this.#record && this.#record.accountId !== accountId) return { record: null };
    this.#keepRevoked(now_ms);
    return { record: this.current ?? null };
  }

  #keepRevoked(now_ms: number): void {
    if (this.#revokedAt_ms !== undefined) return;
    this.#revokedAt_ms = now_ms;
    this.#state.write('revoked', now_ms);
  }
}
