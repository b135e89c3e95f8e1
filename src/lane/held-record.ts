import type { KeyRecord } from '../keys/record.ts';
import type { ObjectState } from './object-state.ts';

/** The revocation of a lane's key. */
export interface RevokeCall {
  readonly accountId: string;
  readonly now_ms: number;
}

/** The key as its lane knows it, revoked; `null` where the lane knows none of that account. */
export interface RevokeReply {
  readonly record: KeyRecord | null;
}

/**
 * The record of a lane's key, kept in the object. Reads may arrive in another order than they were made, so an older
 * record never replaces a newer one, by their numbers; and whatever any record says, a revoked key stays revoked.
 */
export class HeldRecord {
  readonly #state: ObjectState;
  #record: KeyRecord | undefined;
  #revokedAt_ms: number | undefined;

  constructor(state: ObjectState) {
    this.#state = state;
    const written = state.read('record') as (Omit<KeyRecord, 'number'> & { readonly number?: number }) | undefined;
    // What was written before records had numbers is older than any that has one.
    this.#record = written && { ...written, number: written.number ?? 0 };
    this.#revokedAt_ms = state.read('revoked') as number | undefined;
  }

  /** The record as it stands; `undefined` where none was read yet, or where the key was never on record. */
  get current(): KeyRecord | undefined {
    return this.#record && { ...this.#record, revokedAt_ms: this.#record.revokedAt_ms ?? this.#revokedAt_ms ?? null };
  }

  /** Whether the key is known to be revoked, on record or not: then nothing needs to be read. */
  get isRevoked(): boolean {
    return this.#revokedAt_ms !== undefined;
  }

  /**
   * Takes in what was read of D1, unless a newer record is held. Gives the number that is held where it is above the one
   * read, which also happens when the database was restored to an earlier point; else `undefined`.
   */
  take(read: KeyRecord | undefined): number | undefined {
    if (!read) return undefined;
    if (read.revokedAt_ms !== null) this.#keepRevoked(read.revokedAt_ms);
    if (this.#record && read.number < this.#record.number) return this.#record.number;
    this.#record = read;
    this.#state.write('record', read);
    return undefined;
  }

  /** Revokes the key for good, whether or not a record is held; one that is known to be another account's is left. */
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
