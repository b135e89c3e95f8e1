import type { Context } from 'hono';
import type { Role } from '../db/role.ts';
import { type AppEnvironment, type Area, createArea } from '../http/area.ts';
import type { SentRequest } from './proposals.ts';

/** Who makes a request: a person by the e-mail, or a token by its one role. */
export interface Caller {
  readonly email?: string | undefined;
  readonly roles: readonly Role[];
}

/** An approval that executes a proposal. */
export interface Approval {
  readonly proposal: string;
  /** Who approves. */
  readonly caller: Caller;
}

/** What is known of requests that approvals make. Nobody outside can make a request that is one of these. */
const approvals = new WeakMap<Request, Approval & { readonly requestId: string }>();

/** The approval that makes this request; `undefined` for a request from outside. */
export function approvalOf(request: Request): Approval | undefined {
  return approvals.get(request);
}

/** Sends a proposed request to its own route, as the one who approves it. Throws what the route throws. */
export type Execute = (
  c: Pick<Context<AppEnvironment>, 'env' | 'executionCtx' | 'req' | 'var'>,
  request: SentRequest,
  approval: Approval,
) => Promise<Response>;

/** Makes what executes proposals by the routes of an area. */
export function executeBy(area: Area): Execute {
  const inner = createArea();
  inner.use((c, next) => {
    const approval = approvals.get(c.req.raw);
    if (!approval) throw new Error('a request without its approval');
    c.set('requestId', approval.requestId);
    return next();
  });
  inner.route('/', area);
  inner.onError((error) => {
    throw error;
  });
  return async (c, { method, path, body }, approval) => {
    const request = new Request(new URL(path, c.req.url), {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== '' && { body }),
    });
    approvals.set(request, { ...approval, requestId: c.var.requestId });
    return inner.fetch(request, c.env, c.executionCtx);
  };
}
