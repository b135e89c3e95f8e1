import type { MiddlewareHandler } from 'hono';
import { sendProblem, type AppEnvironment, type RequestContext } from '../http/area.ts';
import { type Refusal, refuse } from '../http/answer.ts';
import { laneOf } from '../lane/key-lane.ts';
import { describeAdmission, reportRate } from './admit.ts';
import { countAnonymousCaller } from './anonymous-caller.ts';
import { presentKey, readCallerIp } from './authenticate.ts';
import type { PresentedKey } from '../keys/token.ts';

/** The window of the bindings that count callers without a key, in seconds. */
const ANONYMOUS_WINDOW_S = 60;

/**
 * Counts a call of a public endpoint. With a key, whatever its scopes, the key is checked and its read bucket counts
 * (spec, "Authentication" 3); without one, the address counts. An answer to a keyed call is private: it carries that
 * key's rate-limit headers. If the lane cannot be reached, the public answer is given all the same.
 */
export const admitPublicCall: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  if (c.req.header('Authorization') === undefined) {
    const { ANONYMOUS_READS, ANONYMOUS_NETWORKS } = c.env;
    const isWithin = await countAnonymousCaller(readCallerIp(c), ANONYMOUS_READS, ANONYMOUS_NETWORKS);
    return isWithin ? next() : sendProblem(c, tooManyAnonymous);
  }
  const key = await presentKey(c);
  if (!key.ok) return sendProblem(c, key);
  c.set('caller', key.value.keyId);
  const refusal = await countKeyed(c, key.value);
  if (refusal) return sendProblem(c, refusal);
  await next();
  const shared = c.res.headers.get('Cache-Control');
  if (shared) c.header('Cache-Control', shared.replace('public', 'private'));
};

const tooManyAnonymous = refuse(
  'rate_limited',
  'Too many requests from this address or its network in a minute. Use an API key, or wait.',
  { retryAfterSeconds: ANONYMOUS_WINDOW_S },
);

async function countKeyed(c: RequestContext, key: PresentedKey): Promise<Refusal | undefined> {
  try {
    const reply = await laneOf(c.env, key.keyId).admit({ admission: describeAdmission(c, key, null), bucket: 'read' });
    reportRate(c, reply.rate);
    return reply.outcome.ok || reply.outcome.code === 'service_unavailable' ? undefined : reply.outcome;
  } catch {
    return undefined;
  }
}
