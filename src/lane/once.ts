import { tryOrLog } from '../platform/log.ts';
import type { KeyRecord } from '../keys/record.ts';
import type { BucketName } from '../keys/rights.ts';
import { type Answer, type RequestFacts, answerProblem, type Outcome, type Refusal, refuse } from '../http/answer.ts';
import type { LateWrites } from '../platform/turns.ts';
import { problems } from '../http/problems.ts';
import { newRecordId } from '../db/record-id.ts';

/** How long an Idempotency-Key protects, from the first receipt (spec, "Limits"). */
const REPLAY_WINDOW_MS = 86_400_000;

/** The entry of an Idempotency-Key: an intent while `answer` is null, else an answer. */
export interface Replay {
  readonly fingerprint: string;
  /** The id of the record that the request makes, if it makes one. */
  readonly recordId: string;
  readonly received_ms: number;
  readonly answer: Answer | null;
}

export interface OpenIntent {
  readonly idempotencyKey: string;
  /** The name of the operation, which decides where the record is looked up. */
  readonly operation: string;
  readonly recordId: string;
}

/** A request that asks to take effect at most once. */
export interface IdempotentRequest {
  readonly idempotencyKey: string;
  readonly operation: string;
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
      .exec<{ fingerprint: string; recordId: string; received_ms: number; answer: string | null }>(
        `SELECT fingerprint, record_id AS recordId, received_at AS received_ms, answer FROM replays
         WHERE idempotency_key = ? AND received_at > ?`,
        idempotencyKey,
        now_ms - REPLAY_WINDOW_MS,
      )
      .toArray();
    if (!row) return undefined;
    const unwritten = this.#unwritten.get(idempotencyKey) ?? null;
    const answer = row.answer === null ? unwritten : (JSON.parse(row.answer) as Answer);
    return { ...row, answer };
  }

  /**
   * Stores an intent, or an answer that needed none: a refusal before any effect. An expired entry of the same key is
   * replaced.
   */
  enter(request: IdempotentRequest, recordId: string, now_ms: number, answer: Answer | null = null): void {
    this.#late.flush();
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

  /**
   * Turns an intent into its answer and returns the stored answer, which is another request's if that one was faster.
   */
  remember(idempotencyKey: string, answer: Answer): Answer {
    this.#late.flush();
    this.#write(idempotencyKey, answer);
    const [stored] = this.#sql
      .exec<{ answer: string }>('SELECT answer FROM replays WHERE idempotency_key = ?', idempotencyKey)
      .toArray();
    return stored ? (JSON.parse(stored.answer) as Answer) : answer;
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
      .exec<{ idempotencyKey: string; operation: string; recordId: string }>(
        `SELECT idempotency_key AS idempotencyKey, operation, record_id AS recordId FROM replays
         WHERE answer IS NULL LIMIT ?`,
        limit,
      )
      .toArray();
  }

  /** When the oldest entry expires, or `undefined` when there is none. */
  nextExpiry(): number | undefined {
    const { oldest } = this.#sql
      .exec<{ oldest: number | null }>('SELECT min(received_at) AS oldest FROM replays')
      .one();
    return oldest === null ? undefined : oldest + REPLAY_WINDOW_MS;
  }
}

/** The result of looking a record up in D1 by its id. */
export type LookUp<Row> =
  | { readonly kind: 'found'; readonly row: Row }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

/** How an attempt to make a record ended. */
export type Attempt<Row> =
  | { readonly kind: 'committed'; readonly row: Row }
  /** Nothing happened, and the reason is decided. */
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** It may have taken effect, in this attempt or an earlier one. Only a look-up can decide. */
  | { readonly kind: 'unknown' };

/** The steps of one kind of POST, which `executeOnce` calls in order. */
export interface Execution<Plan, Row> {
  /** Decides what can be decided before the intent. It has no effect. */
  plan(): Promise<Outcome<Plan>>;
  /**
   * Makes the effect: one batch, all or nothing. `waited_ms` is how long ago the request was admitted; it is 0 for one that
   * is sent again, since what was known of the first attempt may be lost.
   */
  commit(recordId: string, plan: Plan, waited_ms: number): Promise<Attempt<Row>>;
  /** Looks the record up in D1, on the primary. */
  lookUp(recordId: string): Promise<LookUp<Row>>;
  /** The answer to a record, whether it was just made or found. */
  answer(row: Row): Answer;
  /**
   * For records that may wait for somebody outside after the commit, so that their first answer is provisional. Absent
   * if the commit is the end and the record never changes again.
   */
  readonly finish?: {
    isOpen(row: Row): boolean;
    /**
     * Waits for somebody outside, such as the custodian, after the lane's turn. The record may still be open
     * afterwards. Never rejects.
     */
    run(row: Row, isFresh: boolean): Promise<Row>;
  };
  /** The refusal when the outcome stays unknown. It names the record. */
  describeUnknown(recordId: string): Refusal;
}

/** Who sent a POST, as far as an operation must know. */
export type Caller = Pick<KeyRecord, 'accountId' | 'hasWebhooks' | 'hasStream'> & { readonly keyId: string };

/**
 * A kind of POST that lanes execute. The feature that it belongs to makes one, with the connections that it needs; the
 * lane knows it by its name alone.
 */
export interface LaneOperation<Body, Plan, Row> {
  readonly bucket: BucketName;
  /** Whether one runs beside others of its key, and not after them. Those of one Idempotency-Key always run in turn. */
  readonly runsBeside: boolean;
  /** Decides what can be decided before the intent. It has no effect. */
  plan(body: Body, caller: Caller): Promise<Outcome<Plan>>;
  /** The other steps of one POST. */
  begin(caller: Caller): Omit<Execution<Plan, Row>, 'plan'>;
  /** Whether others than the account are told of its effect. */
  readonly tellsOthers: boolean;
  /**
   * Has webhooks sent, beside the answer to a POST that took effect; not called where only the account is told, and has
   * no endpoint. Never rejects.
   */
  tell(caller: Caller): Promise<void>;
}

export type LaneOperations = Readonly<Record<string, LaneOperation<unknown, unknown, unknown>>>;

/** Looks a record up in D1. Never rejects. */
export async function lookUp<Row>(recordId: string, read: () => Promise<Row | undefined>): Promise<LookUp<Row>> {
  return tryOrLog('record_unreadable', { recordId }, { kind: 'unknown' }, async () => {
    const row = await read();
    return row ? { kind: 'found', row } : { kind: 'absent' };
  });
}

export interface LaneClock {
  /** The number of the ledger that the key's account is in. */
  readonly ledger: number;
  /** When the lane admitted the request. */
  readonly admitted_ms: number;
  now(): number;
  /** Whether the key may have an effect now. A replay is answered without asking. */
  mayAct(): Outcome<unknown>;
  /** Resolves when all writes are durable, late ones too. */
  sync(): Promise<void>;
}

/** The answer to a request, and whether it was an earlier request's. */
export interface Executed<Row> {
  readonly answer: Answer;
  readonly replayed: boolean;
  /** The record for which `finish` must still run, and whether this request made it. */
  readonly open?: { readonly row: Row; readonly isFresh: boolean };
}

/** The write of an unknown outcome is sent once more, under the same id; then the caller has to ask again. */
const MAX_COMMITS = 2;

/** How long after the first receipt a write that was not found may still succeed. */
const MAY_LAND_MS = 60_000;

/**
 * Executes a POST at most once per Idempotency-Key, through crashes and lost connections (the promise "Once").
 *
 * An intent with the record's id is durable before the batch is sent. A request that finds an intent without an answer
 * looks for that record first. If it is there, it is the answer. If not, the batch is sent again under the same id, so
 * that an earlier batch which arrives late is refused by the primary key. Requests with one Idempotency-Key must run in turn.
 */
export async function executeOnce<Plan, Row>(
  execution: Execution<Plan, Row>,
  request: IdempotentRequest | null,
  replays: Replays,
  facts: RequestFacts,
  lane: LaneClock,
): Promise<Executed<Row>> {
  const sayNew = (refusal: Refusal): Executed<Row> => ({ answer: answerProblem(refusal, facts), replayed: false });
  const now_ms = lane.now();
  const earlier = request && replays.find(request.idempotencyKey, now_ms);
  if (earlier) {
    if (earlier.fingerprint !== request.fingerprint) return sayNew(reused);
    if (earlier.answer) return { answer: earlier.answer, replayed: true };
    const found = await execution.lookUp(earlier.recordId);
    if (found.kind === 'found') {
      const { row } = found;
      const answer = execution.answer(row);
      if (execution.finish?.isOpen(row)) return { answer, replayed: true, open: { row, isFresh: false } };
      replays.remember(request.idempotencyKey, answer);
      return { answer, replayed: true };
    }
    if (found.kind === 'unknown') return sayNew(execution.describeUnknown(earlier.recordId));
  }
  const recordId = earlier?.recordId ?? newRecordId(now_ms, lane.ledger);
  let intended = false;
  const mayStillLand = earlier ? now_ms - earlier.received_ms < MAY_LAND_MS : false;
  const settle = (refusal: Refusal): Executed<Row> => {
    const { kept } = problems[refusal.code];
    // A stored refusal is final, so nothing is stored while an earlier write may still succeed.
    if (kept && mayStillLand) return sayNew(execution.describeUnknown(recordId));
    const refused = sayNew(refusal);
    if (request && kept) {
      if (intended || earlier) replays.remember(request.idempotencyKey, refused.answer);
      else replays.enter(request, recordId, now_ms, refused.answer);
    } else if (request && intended) {
      // An earlier request's intent stays: its write may still be on its way.
      replays.forget(request.idempotencyKey);
    }
    return refused;
  };

  const allowed = lane.mayAct();
  if (!allowed.ok) return settle(allowed);
  const planned = await execution.plan();
  if (!planned.ok) return settle(planned);
  if (request && !earlier) {
    replays.enter(request, recordId, now_ms);
    intended = true;
  }
  await lane.sync();
  const end = await commitAndLook(execution, recordId, planned.value, lane);
  if (end.kind === 'refused') return settle(end.refusal);
  if (end.kind === 'unknown') return sayNew(execution.describeUnknown(recordId));
  const { row } = end;
  const answer = execution.answer(row);
  if (execution.finish?.isOpen(row))
    return { answer, replayed: false, open: { row, isFresh: end.kind === 'committed' } };
  if (request && execution.finish) replays.remember(request.idempotencyKey, answer);
  else if (request) replays.rememberLate(request.idempotencyKey, answer);
  return { answer, replayed: false };
}

type Ended<Row> = Attempt<Row> | Extract<LookUp<Row>, { kind: 'found' }>;

async function commitAndLook<Plan, Row>(
  execution: Execution<Plan, Row>,
  recordId: string,
  plan: Plan,
  lane: LaneClock,
): Promise<Ended<Row>> {
  for (let attempt = 1; attempt <= MAX_COMMITS; attempt += 1) {
    const waited_ms = attempt === 1 ? Math.max(0, lane.now() - lane.admitted_ms) : 0;
    const end = await execution.commit(recordId, plan, waited_ms);
    if (end.kind === 'committed') return end;
    // The refusal of a first write is final. That of a second is not, since the first may still succeed.
    if (end.kind === 'refused' && attempt === 1) return end;
    const found = await execution.lookUp(recordId);
    if (found.kind !== 'absent') return found;
  }
  return { kind: 'unknown' };
}

const reused = refuse(
  'idempotency_key_reused',
  'This Idempotency-Key was used for another request within 24 hours. Use a new one for a new request.',
);
