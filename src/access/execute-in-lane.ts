import { sendProblem, send } from '../http/area.ts';
import type { RequestContext } from '../http/context.ts';
import { describeError, logFault } from '../platform/log.ts';
import { refuse } from '../http/refusal.ts';
import type { ExecutionReply, KeyLane } from '../lane/key-lane.ts';
import { laneOf, laneUnreachable, reportRate } from './admit.ts';
import type { PresentedKey } from '../keys/token.ts';

/** With an Idempotency-Key the lane executes once however often it is asked, so the edge asks once more by itself. */
const MAX_CALLS_WITH_KEY = 2;

/**
 * Sends a POST to its key's lane and gives the lane's answer. An object that was reset may have executed before it
 * died: with an Idempotency-Key the call is repeated, and what stays open is `outcome_unknown`, never an error that
 * sounds like "nothing happened". Only an object that turned the call away is `service_unavailable`.
 */
export async function executeInLane(
  c: RequestContext,
  key: PresentedKey,
  idempotencyKey: string | null,
  call: (lane: DurableObjectStub<KeyLane>) => Promise<ExecutionReply>,
): Promise<Response> {
  const calls = idempotencyKey === null ? 1 : MAX_CALLS_WITH_KEY;
  for (let attempt = 1; attempt <= calls; attempt += 1) {
    try {
      const reply = await call(laneOf(c, key.keyId));
      reportRate(c, reply.rate);
      if (reply.replayed) c.header('X-Idempotency-Replay', 'true');
      return send(c, reply.answer);
    } catch (error) {
      logFault('lane_failed', { requestId: c.var.requestId, keyId: key.keyId, error: describeError(error) });
      const wasTurnedAway = error instanceof Error && 'overloaded' in error && error.overloaded === true;
      if (wasTurnedAway && attempt === 1) return sendProblem(c, laneUnreachable);
    }
  }
  return sendProblem(c, idempotencyKey === null ? unknownWithoutKey : unknownWithKey);
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
