import { type Request, Response } from 'miniflare';
import { ACCESS_COOKIE, ACCESS_PATH, type LocalAccess } from './play-access.ts';

/** The name of the Worker that plays Access in front of the console. */
const ACCESS_GATE = 'access-gate';

/** What Access protects of the console: as in docs/guides/going-live.md. */
const PROTECTED = ['/desk', '/operator'];

/**
 * As Access does it at the edge: whoever is signed in has their token put beside each request to a protected path, in a
 * header; a page is shown to nobody else. A request that brings the header passes as well, as a service's would.
 */
const SCRIPT = `
const HEADER = 'Cf-Access-Jwt-Assertion';
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('${ACCESS_PATH}/')) return env.TEAM.fetch(request, { redirect: 'manual' });
    if (!${JSON.stringify(PROTECTED)}.some((path) => pathname === path || pathname.startsWith(path + '/'))) {
      return env.CONSOLE.fetch(request, { redirect: 'manual' });
    }
    const [, token] = /(?:^|; *)${ACCESS_COOKIE}=([^;]+)/.exec(request.headers.get('Cookie') ?? '') ?? [];
    const isPage = request.method === 'GET' && (request.headers.get('Accept') ?? '').includes('text/html');
    if (!token && isPage) return Response.redirect(new URL('${ACCESS_PATH}/login', request.url), 302);
    const passed = new Request(request);
    if (token) passed.headers.set(HEADER, token);
    return env.CONSOLE.fetch(passed, { redirect: 'manual' });
  }
}`;

/** The Worker that has the console's port. What Access answers by itself, `answer` does. */
export function describeAccessGate(
  consoleName: string,
  port: number,
  answer: LocalAccess['answer'],
  compatibilityDate: string,
) {
  return {
    name: ACCESS_GATE,
    modules: [{ type: 'ESModule' as const, path: 'access-gate.js', contents: SCRIPT }],
    compatibilityDate,
    serviceBindings: {
      CONSOLE: consoleName,
      TEAM: (request: Request) => {
        const { body, ...init } = answer(new URL(request.url));
        return new Response(body, init);
      },
    },
    unsafeDirectSockets: [{ host: '127.0.0.1', port }],
  };
}
