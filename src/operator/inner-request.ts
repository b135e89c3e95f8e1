import type { Context } from 'hono';
import type { Role } from '../db/role.ts';
import { type AppEnvironment, type Area, createArea } from '../http/area.ts';
import type { SentRequest } from './proposals.ts';

/** Who makes a request: a person by the e-mail, or a token by its one role. */
export interface Caller {
  readonly email?: string | undefined;
  readonly roles: readonly Role[];
}

/** In whose name a route makes a request of another: of an approval, whoever approves, with the id of the proposal. */
export interface InnerRequest {
  readonly caller: Caller;
  readonly proposal?: string;
}

/** What is known of requests that routes make. Nobody outside can make a request that is one of these. */
const innerRequests = new WeakMap<Request, InnerRequest & { readonly requestId: string }>();

/** In whose name this request is made; `undefined` for a request from outside. */
export function innerRequestOf(request: Request): InnerRequest | undefined {
  return innerRequests.get(request);
}

/** Sends a request to its own route, in somebody's name. Throws what the route throws. */
export type Execute = (
  c: Pick<Context<AppEnvironment>, 'env' | 'executionCtx' | 'req' | 'var'>,
  request: SentRequest,
  inner: InnerRequest,
) => Promise<Response>;

/** Makes what executes requests by the routes of an area. */
export function executeBy(area: Area): Execute {
  const inner = createArea();
  inner.use((c, next) => {
    const known = innerRequests.get(c.req.raw);
    if (!known) throw new Error('a request in nobody’s name');
    c.set('requestId', known.requestId);
    return next();
  });
  inner.route('/', area);
  inner.onError((error) => {
    throw error;
  });
  return async (c, { method, path, body }, named) => {
    const request = new Request(new URL(path, c.req.url), {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== '' && { body }),
    });
    innerRequests.set(request, { ...named, requestId: c.var.requestId });
    return inner.fetch(request, c.env, c.executionCtx);
  };
}
