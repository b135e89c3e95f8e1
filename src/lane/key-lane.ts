import { type KeyRecord, decideAdmission, decideEffect, type Admission, readKeyRecord } from '../keys/record.ts';
import { ObjectState, reach } from '../platform/objects.ts';
import { DurableObject } from 'cloudflare:workers';
import type { Bindings } from '../platform/bindings.ts';
import {
  type Answer,
  type RequestFacts,
  answerProblem,
  type Outcome,
  type Refusal,
  accept,
  overloaded,
  refuse,
} from '../http/answer.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type BucketLimits, type BucketName, limitsOf, worksWhenFrozen } from '../keys/rights.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { type Counted, countSession, CountedBuckets, type RateState } from './buckets.ts';
import { LateWrites, Mutex, NamedMutexes, type Turn } from '../platform/turns.ts';
import {
  type Caller,
  type Executed,
  type Execution,
  type IdempotentRequest,
  type LaneOperations,
  type OpenIntent,
  Replays,
  executeOnce,
} from './once.ts';

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
    return this.#record && { ...this.#record, revokedAt: this.#record.revokedAt ?? this.#revokedAt_ms ?? null };
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
    if (read.revokedAt !== null) this.#keepRevoked(read.revokedAt);
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

/** How many executions of one key may be under way, and for how long one may wait for its turn. */
const ROOM = 257;
const QUEUE_DEADLINE_MS = 10_000;

/**
 * How long the oldest replay may stay after its expiry, unused. So one alarm deletes those of a whole day; an alarm for
 * each would cost as much as a row.
 */
const PURGE_PAUSE_MS = 86_400_000;

/** How many open intents one alarm recovers. A lane has one at a time, and more only after crashes. */
const MAX_RECOVERED = 50;

/** A read, or a market call with a key. */
export interface AdmitCall {
  readonly admission: Admission;
  readonly bucket: BucketName;
}

/** A POST, as the edge sends it to the lane. */
export interface KeyedCall {
  readonly admission: Admission;
  /** The name of one of the lane's operations. */
  readonly operation: string;
  readonly body: unknown;
  /** `null` without an Idempotency-Key. */
  readonly request: IdempotentRequest | null;
  readonly facts: RequestFacts;
}

/**
 * The lane of one API key: it admits and counts the key's requests, runs its withdrawals one after the other and its
 * orders beside one another, and remembers its answers. It keeps no money. D1 alone protects the account, since two
 * keys of one account are two lanes.
 */
export class KeyLane extends DurableObject<Bindings> {
  readonly #state: ObjectState;
  readonly #late = new LateWrites();
  readonly #buckets: CountedBuckets;
  readonly #replays: Replays;
  readonly #mutex = new Mutex(ROOM, QUEUE_DEADLINE_MS);
  readonly #byKey = new NamedMutexes(() => new Mutex(ROOM, QUEUE_DEADLINE_MS));
  readonly #operations: LaneOperations;
  readonly #held: HeldRecord;
  #underWay = 0;
  #alarmStands: boolean | undefined;

  constructor(ctx: DurableObjectState, env: Bindings, operations: LaneOperations) {
    super(ctx, env);
    this.#operations = operations;
    this.#state = new ObjectState(ctx.storage.sql);
    this.#buckets = new CountedBuckets(this.#state, this.#late);
    this.#replays = new Replays(ctx.storage.sql, this.#late);
    this.#held = new HeldRecord(this.#state);
  }

  /**
   * Checks a key and counts its request: the one call of every read. Gives the id of the account, or the refusal, and the
   * bucket's state if the request reached one.
   */
  async admit(call: AdmitCall): Promise<{ readonly outcome: Outcome<string>; readonly rate: RateState | null }> {
    const record = await this.#decide(call.admission);
    if (!record.ok) return { outcome: record, rate: null };
    const counted = await this.#count(call.bucket, record.value);
    if (!counted.outcome.ok) return { outcome: counted.outcome, rate: counted.rate };
    const allowed = worksWhenFrozen(call.admission.scope) ? record : decideEffect(record.value);
    return { outcome: allowed.ok ? accept(record.value.accountId) : allowed, rate: counted.rate };
  }

  /** Executes a POST: admission, bucket, turn, and one execution at most per Idempotency-Key. */
  async execute(call: KeyedCall): Promise<Pick<Executed<unknown>, 'answer' | 'replayed'> & Pick<Counted, 'rate'>> {
    const operation = this.#operationOf(call.operation);
    const problem = (refusal: Refusal, rate: RateState | null) => ({
      answer: answerProblem(refusal, call.facts),
      replayed: false,
      rate,
    });
    const decided = await this.#decide(call.admission);
    if (!decided.ok) return problem(decided, null);
    if (this.#underWay >= ROOM) return problem(queueFull, null);
    const counted = await this.#count(operation.bucket, decided.value);
    if (!counted.outcome.ok) return problem(counted.outcome, counted.rate);
    // Nothing is awaited from here to the queue, so the room cannot be taken by another request.
    if (this.#underWay >= ROOM) return problem(queueFull, counted.rate);
    const admitted_ms = Date.now();
    const caller = callerOf(decided.value);
    const execution = { ...operation.begin(caller), plan: () => operation.plan(call.body, caller) };
    const turn = await this.#inTurn(operation.runsBeside, call.request?.idempotencyKey, async () => {
      const executed = await executeOnce(execution, call.request, this.#replays, call.facts, {
        ledger: ledgerNumberOf(decided.value.accountId),
        admitted_ms,
        now: () => Date.now(),
        mayAct: () => decideEffect(this.#held.current ?? decided.value),
        sync: () => this.#sync(call.request !== null),
      });
      if (call.request) await this.#ensureAlarm();
      return executed;
    });
    if (turn.kind === 'timed_out') return problem(overloaded, counted.rate);
    const answer = await this.#finish(execution, call.request, turn.value);
    // Whoever began to listen meanwhile is told as well.
    const told = callerOf(this.#held.current ?? decided.value);
    const isTold = operation.tellsOthers || told.hasWebhooks || told.hasStream;
    if (answer.status < 400 && !turn.value.replayed && isTold) this.ctx.waitUntil(operation.tell(told));
    return { answer, replayed: turn.value.replayed, rate: counted.rate };
  }

  /**
   * Runs an execution when its turn comes: after those of its Idempotency-Key, and after all others of its kind unless it
   * runs beside them.
   */
  async #inTurn<T>(runsBeside: boolean, key: string | undefined, execution: () => Promise<T>): Promise<Turn<T>> {
    const run = async (): Promise<Turn<T>> =>
      runsBeside ? { kind: 'ran', value: await execution() } : this.#mutex.run(execution);
    this.#underWay += 1;
    try {
      if (key === undefined) return await run();
      const turn = await this.#byKey.run(key, run);
      return turn.kind === 'ran' ? turn.value : turn;
    } finally {
      this.#underWay -= 1;
    }
  }

  #operationOf(name: string): LaneOperations[string] {
    const operation = this.#operations[name];
    if (!operation) throw new Error(`no lane executes ${name}`);
    return operation;
  }

  /**
   * Reads the key's record again after the operator changed its account. If a newer record is held, that one stays and
   * its number is returned; the next change must have a higher number. Throws when D1 fails.
   */
  async reloadRecord(keyId: string): Promise<number | null> {
    return this.#held.take(await readKeyRecord(this.env, keyId)) ?? null;
  }

  /** When the key last made a request that was counted, to the second, in milliseconds; `null` if it never has. */
  lastUse(): number | null {
    return this.#buckets.lastUse();
  }

  /** Revokes the key for good, with or without a record, unless it is known to belong to another account. */
  revoke(call: RevokeCall): RevokeReply {
    return this.#held.revoke(call);
  }

  /**
   * Deletes expired replays. An intent that a crash left open gets its answer if D1 has its record. Payouts that are
   * still with the custodian are the sweep's task.
   */
  override async alarm(): Promise<void> {
    this.#alarmStands = false;
    this.#replays.purge(Date.now());
    for (const intent of this.#replays.listOpen(MAX_RECOVERED)) await this.#recoverIntent(intent);
    await this.#ensureAlarm();
  }

  /**
   * An intent without a record, or with one that the custodian still has, waits for the client's retry: only a request
   * executes.
   */
  async #recoverIntent(intent: OpenIntent): Promise<void> {
    const record = this.#held.current;
    if (!record) return;
    const steps = this.#operationOf(intent.operation).begin(callerOf(record));
    const found = await steps.lookUp(intent.recordId);
    if (found.kind !== 'found' || steps.finish?.isOpen(found.row)) return;
    this.#replays.remember(intent.idempotencyKey, steps.answer(found.row));
  }

  /** Runs `finish` outside the mutex, so that a slow custodian does not block this key's other requests. */
  async #finish<Plan, Row>(
    execution: Execution<Plan, Row>,
    request: IdempotentRequest | null,
    { answer, open }: Executed<Row>,
  ): Promise<Answer> {
    if (!open || !execution.finish) return answer;
    const row = await execution.finish.run(open.row, open.isFresh);
    const answered = execution.answer(row);
    if (!request) return answered;
    if (!open.isFresh || execution.finish.isOpen(row)) return this.#replays.remember(request.idempotencyKey, answered);
    // Requests that came meanwhile waited for the same end, and a record that has ended never changes.
    this.#replays.rememberLate(request.idempotencyKey, answered);
    return answered;
  }

  /** Has all writes on disk. The alarm for what is stored is set with them, so that no answer waits for its write. */
  async #sync(needsAlarm: boolean): Promise<void> {
    this.#late.flush();
    if (needsAlarm) await this.#ensureAlarm();
    await this.ctx.storage.sync();
  }

  async #decide(admission: Admission): Promise<Outcome<KeyRecord>> {
    if (!this.#held.current && !this.#held.isRevoked) {
      try {
        this.#held.take(await readKeyRecord(this.env, admission.keyId));
      } catch (error) {
        logFault('key_record_unreadable', { keyId: admission.keyId, error: describeError(error) });
        return overloaded;
      }
    }
    return decideAdmission(this.#held.current, admission, Date.now());
  }

  protected limitsFor(record: KeyRecord, bucket: BucketName): BucketLimits {
    return limitsOf(record, bucket);
  }

  /** Counts a request: in this lane, or for a session in the lane that counts all sessions of the account. */
  async #count(bucket: BucketName, record: KeyRecord): Promise<Counted> {
    const limits = this.limitsFor(record, bucket);
    return record.kind === 'session' ? countSession(this.env, record, bucket, limits) : this.count(bucket, limits);
  }

  /**
   * Counts a request in this lane's buckets. An account's own lane, which has its id for a name and no key, counts the
   * requests of all of its sessions. Refuses with `rate_limited`.
   */
  count(bucket: BucketName, limits: BucketLimits): Counted {
    const decision = this.#buckets.take(bucket, limits, Date.now());
    if (decision.admitted) return { outcome: accept(null), rate: decision.state };
    const outcome = refuse('rate_limited', `The ${bucket} bucket of this key is empty.`, {
      retryAfterSeconds: decision.retryAfter_s,
    });
    return { outcome, rate: decision.state };
  }

  /** Sets the alarm, unless it is set, for a day after the oldest replay expires. */
  async #ensureAlarm(): Promise<void> {
    this.#alarmStands ??= (await this.ctx.storage.getAlarm()) !== null;
    if (this.#alarmStands) return;
    const next_ms = this.#replays.nextExpiry();
    if (next_ms === undefined) return;
    await this.ctx.storage.setAlarm(next_ms + PURGE_PAUSE_MS);
    this.#alarmStands = true;
  }
}

function callerOf({ accountId, id: keyId, hasWebhooks, hasStream }: KeyRecord): Caller {
  return { accountId, keyId, hasWebhooks, hasStream };
}

const queueFull = refuse('rate_limited', 'Too many requests of this key wait for their turn.', {
  retryAfterSeconds: 1,
});

/**
 * The lane of a key, which is made near the ledger that it writes to, wherever its first call comes from. Its name is the
 * key's id alone: a lane at another place would not know what this one answered.
 */
export function laneOf({ KEY_LANE, LEDGER_LOCATION }: Pick<Bindings, 'KEY_LANE' | 'LEDGER_LOCATION'>, keyId: string) {
  return reach(KEY_LANE, keyId, LEDGER_LOCATION) as DurableObjectStub<KeyLane>;
}
