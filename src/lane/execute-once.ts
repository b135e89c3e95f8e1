import { type Answer, type RequestFacts, answerProblem } from '../http/answer.ts';
import { problems } from '../http/problems.ts';
import { type Outcome, type Refusal, refuse } from '../http/refusal.ts';
import type { CommitOutcome } from '../ledger/commit.ts';
import { newRecordId } from '../ledger/record-id.ts';
import type { IdempotentRequest, Replays } from './replays.ts';

/** What a look at D1 by the record's id found. */
export type Recollection =
  | { readonly kind: 'found'; readonly answer: Answer; readonly isOpen?: boolean }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

/** How a batch was refused: nothing happened, and the reason is decided. */
export type CommitRefusal = Extract<CommitOutcome, { kind: 'floor' | 'guarded' }>;

/** The steps of one kind of POST, each of which the lane calls in its order. */
export interface Execution<Plan> {
  /** Rules, price and amounts. It has no effect. */
  plan(): Promise<Outcome<Plan>>;
  /** The one batch that is the effect. */
  commit(recordId: string, plan: Plan): Promise<CommitOutcome>;
  /** The answer to a committed plan. It is the one that `recall` builds from the record. */
  answer(recordId: string, plan: Plan): Answer;
  /**
   * Whether a committed plan still waits for somebody outside: its answer is then provisional, and the caller of
   * `executeOnce` finishes it and remembers the answer. Absent where a commit is the end, so that the record reads the
   * same for ever.
   */
  isOpen?(plan: Plan): boolean;
  /** The answer as the record in D1 gives it, on the primary. */
  recall(recordId: string): Promise<Recollection>;
  /** What the client is told when the database refused the batch. */
  explain(refusal: CommitRefusal): Refusal;
  /** What the client is told when the outcome stays open; it names the record. */
  describeUnknown(recordId: string): Refusal;
}

/** What an execution needs of its object. */
export interface LaneClock {
  now(): number;
  /** Whether the key may have an effect now. A replay is answered without asking. */
  mayAct(): Outcome<unknown>;
  /** Returns when all that was written is durable, late writes too. */
  sync(): Promise<void>;
}

/** What came of a request, and whether it is an earlier request's answer. */
export interface Executed {
  readonly answer: Answer;
  readonly replayed: boolean;
  /** The record that still waits for somebody outside, and whether this request made it. */
  readonly open?: { readonly recordId: string; readonly isFresh: boolean };
}

/** The write of an unknown outcome is sent once more, under the same id; then the caller has to ask again. */
const MAX_COMMITS = 2;

/** For so long after the first receipt, a write that was not found may still land. */
const MAY_LAND_MS = 60_000;

/**
 * Executes a POST at most once per Idempotency-Key, through crashes and lost connections (the promise "Once").
 *
 * An intent is durable before the batch is sent and names the record's id. Whoever finds an intent without an answer
 * looks for that record first: there, it is the answer; not there, the batch is sent again under the same id, so that
 * an earlier one which lands after all collides instead of doubling. It must run inside the lane's mutex.
 */
export async function executeOnce<Plan>(
  execution: Execution<Plan>,
  request: IdempotentRequest | null,
  replays: Replays,
  facts: RequestFacts,
  lane: LaneClock,
): Promise<Executed> {
  const now_ms = lane.now();
  const earlier = request && replays.find(request.idempotencyKey, now_ms);
  if (earlier) {
    if (earlier.fingerprint !== request.fingerprint) return { answer: answerProblem(reused, facts), replayed: false };
    if (earlier.answer) return { answer: earlier.answer, replayed: true };
    const recalled = await execution.recall(earlier.recordId);
    if (recalled.kind === 'found' && recalled.isOpen) {
      return { answer: recalled.answer, replayed: true, open: { recordId: earlier.recordId, isFresh: false } };
    }
    if (recalled.kind === 'found') {
      replays.remember(request.idempotencyKey, recalled.answer);
      return { answer: recalled.answer, replayed: true };
    }
    if (recalled.kind === 'unknown') {
      return { answer: answerProblem(execution.describeUnknown(earlier.recordId), facts), replayed: false };
    }
  }
  const recordId = earlier?.recordId ?? newRecordId(now_ms);
  let intended = false;
  const mayStillLand = earlier ? now_ms - earlier.received_ms < MAY_LAND_MS : false;
  const settle = (refusal: Refusal): Executed => {
    const { kept } = problems[refusal.code];
    // A refusal that is kept is final, which nothing is while an earlier write may land.
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
  if (!allowed.ok) return settle(allowed.refusal);
  const planned = await execution.plan();
  if (!planned.ok) return settle(planned.refusal);
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
  if (end.open) return { answer: end.answer, replayed: false, open: { recordId, isFresh: end.open === 'fresh' } };
  if (request && execution.isOpen) replays.remember(request.idempotencyKey, end.answer);
  else if (request) replays.rememberLate(request.idempotencyKey, end.answer);
  return { answer: end.answer, replayed: false };
}

type Committed =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly open: 'fresh' | 'found' | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unknown' };

async function commitAndLook<Plan>(execution: Execution<Plan>, recordId: string, plan: Plan): Promise<Committed> {
  for (let attempt = 1; attempt <= MAX_COMMITS; attempt += 1) {
    const outcome = await execution.commit(recordId, plan);
    if (outcome.kind === 'committed') {
      const open = execution.isOpen?.(plan) ? 'fresh' : null;
      return { kind: 'answered', answer: execution.answer(recordId, plan), open };
    }
    if (outcome.kind === 'floor' || outcome.kind === 'guarded') {
      // The refusal of a first write is final; that of a second is not, since the first may still land.
      return attempt === 1 ? { kind: 'refused', refusal: execution.explain(outcome) } : { kind: 'unknown' };
    }
    if (outcome.kind === 'overloaded' && attempt === 1) return { kind: 'refused', refusal: overloaded.refusal };
    const recalled = await execution.recall(recordId);
    if (recalled.kind === 'found') {
      return { kind: 'answered', answer: recalled.answer, open: recalled.isOpen ? 'found' : null };
    }
    if (recalled.kind === 'unknown') return { kind: 'unknown' };
  }
  return { kind: 'unknown' };
}

const { refusal: reused } = refuse(
  'idempotency_key_reused',
  'This Idempotency-Key was used for another request within 24 hours. Use a new one for a new request.',
);

/** The refusal of a request that was turned away before anything happened. */
export const overloaded = refuse('service_unavailable', 'The exchange is overloaded. Nothing happened; try again.', {
  retryAfterSeconds: 1,
});
