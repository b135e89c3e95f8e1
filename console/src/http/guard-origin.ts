import type { MiddlewareHandler } from 'hono';
import { config } from '../env.ts';
import type { ConsoleEnvironment } from './context.ts';
import { foreignOrigin, sendRefusal } from './refusals.ts';

const READS = ['GET', 'HEAD'];

/**
 * Refuses every request that changes something, and every WebSocket upgrade, unless it comes from the console's own
 * pages: a browser sends the cookie with what other sites start, and `SameSite` does not hold in all of them.
 */
export const guardOrigin: MiddlewareHandler<ConsoleEnvironment> = (c, next) => {
  const isUpgrade = c.req.header('Upgrade') !== undefined;
  const isOwn = c.req.header('Origin') === config.CONSOLE_ORIGIN;
  if (isOwn || (READS.includes(c.req.method) && !isUpgrade)) return next();
  return Promise.resolve(sendRefusal(c, foreignOrigin));
};
