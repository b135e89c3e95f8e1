import type { Answer } from '../http/answer.ts';
import type { LateWrites } from './late-writes.ts';

/** How long an Idempotency-Key protects, from the first receipt (spec, "Limits"). */
export const REPLAY_WINDOW_MS = 86_400_000;

/** The operation of a request with an Idempotency-Key; it decides where its record is looked up. */
export type Operation = 'placeOrder' | 'createWithdrawal';

/** The entry of an Idempotency-Key: an intent while `answer` is null, else an answer. */
export interface Replay {
  readonly fingerprint: string;
  /** The id of the record that the request makes, if it makes one. */
  readonly recordId: string;
  readonly received_ms: number;
  readonly answer: Answer | null;
}

/** An intent that has no answer yet. */
export interface OpenIntent {
  readonly idempotencyKey: string;
  readonly operation: Operation;
  readonly recordId: string;
}

/** A request that asks to take effect at most once. */
export interface IdempotentRequest {
  readonly idempotencyKey: string;
  readonly operation: Operation;
  /** A digest of method, route and validated body: the same key with another one is refused. */
  readonly fingerprint: string;
}

/**
 * The Idempotency-Keys of one API key, in the object's own SQLite. An intent is stored before any effect and becomes an
 * answer after it, so that there is at most one effect however often the object dies in between.
 */
export class Replays {
  readonly #sql: SqlStorage;
  readonly #late: LateWrites;
  /** Answers that are not stored yet, by their Idempotency-Key. */
  readonly #unwritten = new Map<string, Answer>();

  constructor(sql: SqlStorage, late: LateWrites) {
    this.#sql = sql;
    this.#late = late;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS replays (
        idempotency_key TEXT PRIMARY KEY NOT NULL,
        operation TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        record_id TEXT NOT NULL,
        received_at INTEGER NOT NULL,
        answer TEXT
      ) WITHOUT ROWID`,
    );
  }

  /** The entry of a key that was first received less than 24 hours before `now_ms`. */
  find(idempotencyKey: string, now_ms: number): Replay | undefined {
    const [row] = this.#sql
      .exec<{ fingerprint: string; record_id: string; received_at: number; answer: string | null }>(
        'SELECT fingerprint, record_id, received_at, answer FROM replays WHERE idempotency_key = ? AND received_at > ?',
        idempotencyKey,
        now_ms - REPLAY_WINDOW_MS,
      )
      .toArray();
    if (!row) return undefined;
    const unwritten = this.#unwritten.get(idempotencyKey) ?? null;
    const answer = row.answer === null ? unwritten : (JSON.parse(row.answer) as Answer);
    return { fingerprint: row.fingerprint, recordId: row.record_id, received_ms: row.received_at, answer };
  }

  /** Stores an intent. An expired entry of the same key is replaced. */
  intend(request: IdempotentRequest, recordId: string, now_ms: number): void {
    this.#late.flush();
    this.#insert(request, recordId, null, now_ms);
  }

  /**
   * Turns an intent into its answer and returns the stored answer, which is another request's if that one was faster.
   */
  remember(idempotencyKey: string, answer: Answer): Answer {
    this.#late.flush();
    this.#write(idempotencyKey, answer);
    const [standing] = this.#sql
      .exec<{ answer: string }>('SELECT answer FROM replays WHERE idempotency_key = ?', idempotencyKey)
      .toArray();
    return standing ? (JSON.parse(standing.answer) as Answer) : answer;
  }

  /**
   * The same, but stored late, for an answer that can always be made again from the record in D1, byte by byte: if it
   * is lost, its intent leads to the record. Only for the request that made the record and has no answer yet.
   */
  rememberLate(idempotencyKey: string, answer: Answer): void {
    this.#unwritten.set(idempotencyKey, answer);
    this.#late.add(this.#writeAnswers);
  }

  readonly #writeAnswers = (): void => {
    for (const [idempotencyKey, answer] of this.#unwritten) {
      this.#unwritten.delete(idempotencyKey);
      this.#write(idempotencyKey, answer);
    }
  };

  #write(idempotencyKey: string, answer: Answer): void {
    this.#sql.exec(
      'UPDATE replays SET answer = ? WHERE idempotency_key = ? AND answer IS NULL',
      JSON.stringify(answer),
      idempotencyKey,
    );
  }

  /** Stores an answer that needed no intent: a refusal before any effect. */
  conclude(request: IdempotentRequest, recordId: string, answer: Answer, now_ms: number): void {
    this.#late.flush();
    this.#insert(request, recordId, answer, now_ms);
  }

  #insert(request: IdempotentRequest, recordId: string, answer: Answer | null, now_ms: number): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO replays (idempotency_key, operation, fingerprint, record_id, received_at, answer)
       VALUES (?, ?, ?, ?, ?, ?)`,
      request.idempotencyKey,
      request.operation,
      request.fingerprint,
      recordId,
      now_ms,
      answer && JSON.stringify(answer),
    );
  }

  /** Removes an intent when it is certain that nothing happened. */
  forget(idempotencyKey: string): void {
    this.#sql.exec('DELETE FROM replays WHERE idempotency_key = ?', idempotencyKey);
  }

  /** Deletes expired entries, open intents too: their effect, if any, is in D1. */
  purge(now_ms: number): void {
    this.#late.flush();
    this.#sql.exec('DELETE FROM replays WHERE received_at <= ?', now_ms - REPLAY_WINDOW_MS);
  }

  /** The intents without an answer, at most `limit`. */
  listOpen(limit: number): OpenIntent[] {
    return this.#sql
      .exec<{ idempotency_key: string; operation: Operation; record_id: string }>(
        'SELECT idempotency_key, operation, record_id FROM replays WHERE answer IS NULL LIMIT ?',
        limit,
      )
      .toArray()
      .map((row) => ({ idempotencyKey: row.idempotency_key, operation: row.operation, recordId: row.record_id }));
  }

  /** When the oldest entry expires, or `undefined` when there is none. */
  nextExpiry(): number | undefined {
    const { oldest } = this.#sql
      .exec<{ oldest: number | null }>('SELECT min(received_at) AS oldest FROM replays')
      .one();
    return oldest === null ? undefined : oldest + REPLAY_WINDOW_MS;
  }
}
