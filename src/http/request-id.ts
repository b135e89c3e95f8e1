import type { MiddlewareHandler } from 'hono';
import type { AppEnvironment } from './context.ts';

/** A client's own id is echoed when it is at most 128 visible ASCII characters. */
const CLIENT_ID_SYNTAX = /^[!-~]{1,128}$/;

/** Gives every request an id, and every response the header X-Request-Id. */
export const assignRequestId: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  const own = c.req.header('X-Request-Id');
  c.set('requestId', own !== undefined && CLIENT_ID_SYNTAX.test(own) ? own : crypto.randomUUID());
  await next();
  // Not what was drawn here: for the target `*` the router runs every middleware twice, and one answer has one id.
  c.header('X-Request-Id', c.var.requestId);
};
