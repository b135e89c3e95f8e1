import type { Context, MiddlewareHandler } from 'hono';
import type { AppEnvironment } from './context.ts';

const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';

/**
 * Lets a page of any origin read a public route, and the headers it names (Fetch standard, section 3.3). The headers are
 * set ahead of the answer, which costs it no copy.
 */
export function openToAnyOrigin(exposedHeaders: readonly string[]): MiddlewareHandler<AppEnvironment> {
  const exposed = exposedHeaders.join(',');
  return (c, next) => {
    c.header(ALLOW_ORIGIN, '*');
    c.header('Access-Control-Expose-Headers', exposed);
    return next();
  };
}

/**
 * Answers a preflight of a path that is open to any origin, with the methods that the path takes and whatever headers
 * the page wants to send. `undefined` for any other request.
 */
export function answerPreflight(c: Context<AppEnvironment>, methods: readonly string[]): Response | undefined {
  if (c.req.method !== 'OPTIONS' || !c.res.headers.has(ALLOW_ORIGIN)) return undefined;
  c.header('Access-Control-Allow-Methods', methods.join(','));
  const wanted = c.req.header('Access-Control-Request-Headers');
  if (wanted !== undefined) {
    c.header('Access-Control-Allow-Headers', wanted);
    c.header('Vary', 'Access-Control-Request-Headers');
  }
  c.res.headers.delete('Content-Type');
  return c.body(null, 204);
}
