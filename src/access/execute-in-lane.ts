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

/** With an Idempotency-Key the lane executes at most once, so the edge may retry once by itself. */
const MAX_CALLS_WITH_KEY = 2;

/** A POST of a key that takes effect at most once. */
export interface KeyedPost {
  readonly operation: IdempotentRequest['operation'];
  readonly scope: Scope;
  /** The route and the part of the body that the fingerprint covers. */
  readonly path: string;
  readonly body: Readonly<Record<string, string | undefined>>;
}

/**
 * Sends a POST to its key's lane and returns the lane's answer. `call` calls the lane's method with what every POST
 * sends. Refuses with `invalid_idempotency_key`. An object that was reset may have executed the request before it died.
 * With an Idempotency-Key the call is therefore repeated; if the outcome stays unknown, the answer is
 * `outcome_unknown`. `service_unavailable` is given only when the object was overloaded and nothing happened.
 */
export async function executeInLane(
  c: Context<KeyEnvironment>,
  post: KeyedPost,
  call: (lane: DurableObjectStub<KeyLane>, keyed: KeyedCall) => Promise<ExecutionReply>,
): Promise<WrittenAnswer> {
  const key = c.get('key');
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
      logFault('lane_failed', { requestId: c.get('requestId'), keyId: key.keyId, error: describeError(error) });
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
