import type { Context, MiddlewareHandler } from 'hono';
import type { AppEnvironment, Area } from './area.ts';

const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';

/** The headers of a public answer that a page may read. */
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Idempotency-Replay',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'X-Edge-Cache',
  ...['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`),
].join(',');

/**
 * The paths of all routes that need no key, in Hono's notation, without fixed paths that one with a parameter matches as
 * well. A route without `security` is public.
 */
export function listPublicPaths(areas: readonly Area[]): string[] {
  const paths = areas.flatMap(({ openAPIRegistry }) =>
    openAPIRegistry.definitions.flatMap((definition) => {
      const isPublic = definition.type === 'route' && !definition.route.security?.length;
      return isPublic ? [definition.route.path.replaceAll(/\{(\w+)\}/g, ':$1')] : [];
    }),
  );
  const patterns = paths.filter((path) => path.includes(':'));
  const isMatched = (path: string) =>
    patterns.some((pattern) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path));
  return [...new Set(paths)].filter((path) => path.includes(':') || !isMatched(path));
}

/**
 * Lets a page of any origin read a public route, and the headers it names (Fetch standard, section 3.3). The headers
 * are set before the handler runs, so that the answer need not be copied.
 */
export const openToAnyOrigin: MiddlewareHandler<AppEnvironment> = (c, next) => {
  c.header(ALLOW_ORIGIN, '*');
  c.header('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  return next();
};

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
