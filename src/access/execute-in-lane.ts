import type { Context } from 'hono';
import { type WrittenAnswer, factsOf, send, sendProblem } from '../http/area.ts';
import { fingerprint, readIdempotencyKey } from '../http/idempotency.ts';
import { describeError, logFault } from '../platform/log.ts';
import { refuse } from '../http/refusal.ts';
import type { Scope } from '../keys/scope.ts';
import type { ExecutionReply, KeyLane, KeyedCall } from '../lane/key-lane.ts';
import { laneOf } from '../lane/reach-lane.ts';
import type { IdempotentRequest } from '../lane/replays.ts';
import { describeAdmission, laneUnreachable, reportRate } from './admit.ts';
import type { KeyEnvironment } from './authenticate.ts';

/** With an Idempotency-Key the lane executes once however often it is asked, so the edge asks once more by itself. */
const MAX_CALLS_WITH_KEY = 2;

/** A POST of a key that takes effect at most once. */
export interface KeyedPost {
  readonly operation: IdempotentRequest['operation'];
  readonly scope: Scope;
  /** The route, and what of the body makes two requests the same one, whatever else they carry. */
  readonly path: string;
  readonly body: Readonly<Record<string, string | undefined>>;
}

/**
 * Sends a POST to its key's lane and gives the lane's answer; `call` passes on what the lane is told of every POST.
 * Refuses with `invalid_idempotency_key`. An object that was reset may have executed before it died: with an
 * Idempotency-Key the call is repeated, and what stays open is `outcome_unknown`, never an error that sounds like
 * "nothing happened". Only an object that turned the call away is `service_unavailable`.
 */
export async function executeInLane(
  c: Context<KeyEnvironment>,
  post: KeyedPost,
  call: (lane: DurableObjectStub<KeyLane>, keyed: KeyedCall) => Promise<ExecutionReply>,
): Promise<WrittenAnswer> {
  const { key } = c.var;
  const idempotencyKey = readIdempotencyKey(c.req.header('Idempotency-Key'));
  if (!idempotencyKey.ok) return sendProblem(c, idempotencyKey);
  const keyed = {
    admission: describeAdmission(c, key, post.scope),
    request: await describeRequest(post, idempotencyKey.value),
    facts: factsOf(c),
  };
  const calls = keyed.request ? MAX_CALLS_WITH_KEY : 1;
  for (let attempt = 1; attempt <= calls; attempt += 1) {
    try {
      const reply = await call(laneOf(c.env, key.keyId), keyed);
      reportRate(c, reply.rate);
      if (reply.replayed) c.header('X-Idempotency-Replay', 'true');
      return send(c, reply.answer);
    } catch (error) {
      logFault('lane_failed', { requestId: c.var.requestId, keyId: key.keyId, error: describeError(error) });
      const wasTurnedAway = error instanceof Error && 'overloaded' in error && error.overloaded === true;
      if (wasTurnedAway && attempt === 1) return sendProblem(c, laneUnreachable);
    }
  }
  return sendProblem(c, keyed.request ? unknownWithKey : unknownWithoutKey);
}

async function describeRequest(
  { operation, path, body }: KeyedPost,
  idempotencyKey: string | null,
): Promise<IdempotentRequest | null> {
  if (idempotencyKey === null) return null;
  return { idempotencyKey, operation, fingerprint: await fingerprint('POST', path, body) };
}

const unknownWithKey = refuse(
  'outcome_unknown',
  'It is not known yet whether the request took effect. Repeat it with the same Idempotency-Key.',
  { retryAfterSeconds: 1 },
);

const unknownWithoutKey = refuse(
  'outcome_unknown',
  'It is not known yet whether the request took effect, and it carried no Idempotency-Key: look before you repeat it.',
);
