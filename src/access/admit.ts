import type { Context } from 'hono';
import {
  type RequestContext,
  type WrittenAnswer,
  factsOf,
  send,
  sendProblem,
  fingerprint,
  readIdempotencyKey,
} from '../http/area.ts';
import type { ProblemCode } from '../http/problems.ts';
import { rateLimitHeaders, type Outcome, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { type KeyedCall, laneOf } from '../lane/key-lane.ts';
import type { RateState } from '../lane/buckets.ts';
import { type KeyEnvironment, readCallerIp } from './authenticate.ts';
import type { Admission } from '../keys/record.ts';
import type { BucketName, Scope } from '../keys/rights.ts';
import type { PresentedKey } from '../keys/token.ts';
import { describeError, logFault } from '../platform/log.ts';
import type { IdempotentRequest } from '../lane/once.ts';

/** The refusals that concern the key, whatever its scope. Public operations give them too if a key is sent. */
export const anyKeyRefusals = [
  'missing_api_key',
  'invalid_api_key',
  'api_key_expired',
  'ip_not_allowed',
  'rate_limited',
] as const satisfies readonly ProblemCode[];

/** The refusals of every operation that only reads: an unknown query parameter is one. */
export const readRefusals = [
  'invalid_request',
  ...anyKeyRefusals,
  'insufficient_scope',
] as const satisfies readonly ProblemCode[];

/** What the lane is told of a request's key. */
export function describeAdmission(c: RequestContext, key: PresentedKey, scope: Scope | null): Admission {
  return { keyId: key.keyId, tokenHash: key.tokenHash, scope, ip: readCallerIp(c) };
}

/** Sets the headers of the bucket that a request was counted in. */
export function reportRate(c: RequestContext, rate: RateState | null): void {
  if (!rate) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(rate, Date.now()))) c.header(name, value);
}

/** The refusal when the lane did not answer and the request had no effect that could be lost. */
export const laneUnreachable = refuseUnconfirmed('The exchange cannot be reached at the moment. Try again.');

/**
 * Admits a request that needs its lane for nothing else, and returns the id of the key's account. One call checks the
 * key and counts the request; a `scope` of `null` accepts any key. The refusals are those of `decideAdmission`,
 * `rate_limited`, and `service_unavailable` when the lane does not answer.
 */
export async function admit(
  c: Context<KeyEnvironment>,
  scope: Scope | null,
  bucket: BucketName,
): Promise<Outcome<string>> {
  try {
    const key = c.get('key');
    const reply = await laneOf(c.env, key.keyId).admit({ admission: describeAdmission(c, key, scope), bucket });
    reportRate(c, reply.rate);
    return reply.outcome;
  } catch {
    return laneUnreachable;
  }
}

/** With an Idempotency-Key the lane executes at most once, so the edge may retry once by itself. */
const MAX_CALLS_WITH_KEY = 2;

/** A POST of a key that takes effect at most once. */
export interface KeyedPost {
  /** The name of the lane's operation. */
  readonly operation: string;
  readonly scope: Scope;
  readonly body: unknown;
  /** The route and the part of the body that the fingerprint covers. */
  readonly path: string;
  readonly covered: Readonly<Record<string, string | undefined>>;
}

/**
 * Sends a POST to its key's lane and returns the lane's answer. Refuses with `invalid_idempotency_key`. An object that
 * was reset may have executed the request before it died. With an Idempotency-Key the call is therefore repeated; if
 * the outcome stays unknown, the answer is `outcome_unknown`. `service_unavailable` is given only when the object was
 * overloaded and nothing happened.
 */
export async function executeInLane(c: Context<KeyEnvironment>, post: KeyedPost): Promise<WrittenAnswer> {
  const key = c.get('key');
  const idempotencyKey = readIdempotencyKey(c.req.header('Idempotency-Key'));
  if (!idempotencyKey.ok) return sendProblem(c, idempotencyKey);
  const keyed: KeyedCall = {
    operation: post.operation,
    body: post.body,
    admission: describeAdmission(c, key, post.scope),
    request: await describeRequest(post, idempotencyKey.value),
    facts: factsOf(c),
  };
  const calls = keyed.request ? MAX_CALLS_WITH_KEY : 1;
  for (let attempt = 1; attempt <= calls; attempt += 1) {
    try {
      const executing = laneOf(c.env, key.keyId).execute(keyed);
      // A client that hangs up takes nothing back.
      c.executionCtx.waitUntil(executing.catch(() => undefined));
      const reply = await executing;
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
  { operation, path, covered }: KeyedPost,
  idempotencyKey: string | null,
): Promise<IdempotentRequest | null> {
  if (idempotencyKey === null) return null;
  return { idempotencyKey, operation, fingerprint: await fingerprint('POST', path, covered) };
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
