import type { Context } from 'hono';
import { fingerprint, idempotencyKeyParameter, readIdempotencyKey } from '../http/idempotency.ts';
import type { ProblemCode } from '../http/problems.ts';
import { type Outcome, accept } from '../http/refusal.ts';
import { nameActor } from '../db/audit.ts';
import type { OnceRequest } from '../db/make-once.ts';
import type { OperatorEnvironment } from './authenticate-operator.ts';

/** How the header is documented for the operator's routes. */
export const onceParameter = {
  ...idempotencyKeyParameter,
  description:
    'Makes the request take effect at most once, however often and however late it is sent: 1 to 255 visible ASCII characters, of your choice, new for every new request. It is valid for one person or token.',
} as const;

/** The refusals of a route that takes the header. */
export const onceRefusals = [
  'invalid_idempotency_key',
  'idempotency_key_reused',
] as const satisfies readonly ProblemCode[];

/**
 * The request with its Idempotency-Key, or `null` without one. `body` is what was read of its body. Refuses with
 * `invalid_idempotency_key`.
 */
export async function readOnceRequest(
  c: Pick<Context<OperatorEnvironment>, 'req' | 'var'>,
  body: unknown,
): Promise<Outcome<OnceRequest | null>> {
  const key = readIdempotencyKey(c.req.header('Idempotency-Key'));
  if (!key.ok) return key;
  if (key.value === null) return accept(null);
  return accept({
    caller: nameActor(c.var),
    idempotencyKey: key.value,
    fingerprint: await fingerprint(c.req.method, c.req.path, { body: JSON.stringify(body) }),
  });
}
