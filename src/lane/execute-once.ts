import { type Answer, type RequestFacts, answerProblem } from '../http/answer.ts';
import { problems } from '../http/problems.ts';
import { type Outcome, type Refusal, refuse } from '../http/refusal.ts';
import { newRecordId } from '../db/record-id.ts';
import type { IdempotentRequest, Replays } from './replays.ts';

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
  /** Makes the effect: one batch, all or nothing. */
  commit(recordId: string, plan: Plan): Promise<Attempt<Row>>;
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

/** What an execution needs of its object. */
export interface LaneClock {
  /** The number of the ledger that the key's account is in. */
  readonly ledger: number;
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
 * that an earlier batch which arrives late is refused by the primary key. It must run inside the lane's mutex.
 */
export async function executeOnce<Plan, Row>(
  execution: Execution<Plan, Row>,
  request: IdempotentRequest | null,
  replays: Replays,
  facts: RequestFacts,
  lane: LaneClock,
): Promise<Executed<Row>> {
  const now_ms = lane.now();
  const earlier = request && replays.find(request.idempotencyKey, now_ms);
  if (earlier) {
    if (earlier.fingerprint !== request.fingerprint) return { answer: answerProblem(reused, facts), replayed: false };
    if (earlier.answer) return { answer: earlier.answer, replayed: true };
    const found = await execution.lookUp(earlier.recordId);
    if (found.kind === 'found') {
      const { row } = found;
      const answer = execution.answer(row);
      if (execution.finish?.isOpen(row)) return { answer, replayed: true, open: { row, isFresh: false } };
      replays.remember(request.idempotencyKey, answer);
      return { answer, replayed: true };
    }
    if (found.kind === 'unknown') {
      return { answer: answerProblem(execution.describeUnknown(earlier.recordId), facts), replayed: false };
    }
  }
  const recordId = earlier?.recordId ?? newRecordId(now_ms, lane.ledger);
  let intended = false;
  const mayStillLand = earlier ? now_ms - earlier.received_ms < MAY_LAND_MS : false;
  const settle = (refusal: Refusal): Executed<Row> => {
    const { kept } = problems[refusal.code];
    // A stored refusal is final, so nothing is stored while an earlier write may still succeed.
    if (kept && mayStillLand)
      return { answer: answerProblem(execution.describeUnknown(recordId), facts), replayed: false };
    const answer = answerProblem(refusal, facts);
    if (request && kept) {
      if (intended || earlier) replays.remember(request.idempotencyKey, answer);
      else replays.conclude(request, recordId, answer, now_ms);
    } else if (request && intended) {
      // An earlier request's intent stays: its write may still be on its way.
      replays.forget(request.idempotencyKey);
    }
    return { answer, replayed: false };
  };

  const allowed = lane.mayAct();
  if (!allowed.ok) return settle(allowed);
  const planned = await execution.plan();
  if (!planned.ok) return settle(planned);
  if (request && !earlier) {
    replays.intend(request, recordId, now_ms);
    intended = true;
  }
  await lane.sync();
  const end = await commitAndLook(execution, recordId, planned.value);
  if (end.kind === 'refused') return settle(end.refusal);
  if (end.kind === 'unknown') {
    return { answer: answerProblem(execution.describeUnknown(recordId), facts), replayed: false };
  }
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
): Promise<Ended<Row>> {
  for (let attempt = 1; attempt <= MAX_COMMITS; attempt += 1) {
    const end = await execution.commit(recordId, plan);
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
