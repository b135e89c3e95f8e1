import type { Context } from 'hono';
import type { RequestContext } from '../http/context.ts';
import type { ProblemCode } from '../http/problems.ts';
import { rateLimitHeaders } from '../http/rate-limit-headers.ts';
import { type Outcome, refuse } from '../http/refusal.ts';
import { laneOf } from '../lane/reach-lane.ts';
import type { RateState } from '../lane/rate-buckets.ts';
import { type KeyEnvironment, readCallerIp } from './authenticate.ts';
import type { Admission } from '../keys/admission.ts';
import type { BucketName } from '../keys/bucket-limits.ts';
import type { Scope } from '../keys/scope.ts';
import type { PresentedKey } from '../keys/token.ts';

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
export const laneUnreachable = refuse(
  'service_unavailable',
  'The exchange cannot be reached at the moment. Try again.',
  {
    retryAfterSeconds: 1,
  },
);

/**
 * Admits a request that needs its lane for nothing else, and returns the id of the key's account. One call checks the key and counts the request; a `scope` of
 * `null` accepts any key. The refusals are those of `decideAdmission`, `rate_limited`, and `service_unavailable` when
 * the lane does not answer.
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
