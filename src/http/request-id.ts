import type { MiddlewareHandler } from 'hono';
import type { AppEnvironment } from './context.ts';

/** A client's own id is echoed when it is at most 128 visible ASCII characters. */
const CLIENT_ID_SYNTAX = /^[!-~]{1,128}$/;

/**
 * Gives every request an id, and every response the header X-Request-Id. It is set before the handler runs, because
 * adding a header to a finished response copies its body.
 */
export const assignRequestId: MiddlewareHandler<AppEnvironment> = (c, next) => {
  const own = c.req.header('X-Request-Id');
  const requestId = own !== undefined && CLIENT_ID_SYNTAX.test(own) ? own : crypto.randomUUID();
  c.set('requestId', requestId);
  c.header('X-Request-Id', requestId);
  return next();
};
