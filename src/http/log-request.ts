import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { AppEnvironment } from './context.ts';
import { logEvent } from '../platform/log.ts';

/**
 * Writes one line for every request: its id, the route that answered (never the path as sent, which may hold anything),
 * the status, the milliseconds, and the caller: a key's id, or an operator's role.
 */
export const logRequest: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  const begun_ms = Date.now();
  await next();
  logEvent('request', {
    requestId: c.get('requestId'),
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    ms: Date.now() - begun_ms,
    caller: c.get('caller'),
  });
};
