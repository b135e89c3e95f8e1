import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { AppEnvironment } from './context.ts';

/**
 * Lets a page of any origin read a public route, and the headers it names (Fetch standard, section 3.3). A preflight is
 * answered here; for every other request the headers are set ahead of the answer, which costs it no copy.
 */
export function openToAnyOrigin(exposedHeaders: readonly string[]): MiddlewareHandler<AppEnvironment> {
  const answerPreflight = cors({ origin: '*', exposeHeaders: [...exposedHeaders] });
  const exposed = exposedHeaders.join(',');
  return (c, next) => {
    if (c.req.method === 'OPTIONS') return answerPreflight(c, next);
    c.header('Access-Control-Allow-Origin', '*');
    c.header('Access-Control-Expose-Headers', exposed);
    return next();
  };
}
