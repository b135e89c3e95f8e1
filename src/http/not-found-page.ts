import type { Context } from 'hono';
import type { AppEnvironment } from './area.ts';

/** Addresses of the API are answered with a problem, also to a browser. */
const API = /^\/(api|operator)(\/|$)/;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nothing here · Bureau</title>
</head>
<body>
<main>
<h1>There is nothing at this address</h1>
<p>Begin at <a href="/docs">the documentation</a>, which has a search, or look into <a href="/errors">the errors</a>.</p>
</main>
</body>
</html>
`;

/**
 * The page for somebody who opens an unknown address in a browser, which accepts HTML. `undefined` for a program, which
 * gets a problem.
 */
export function answerWithPage(c: Context<AppEnvironment>): Response | undefined {
  const isBrowser = c.req.header('Accept')?.includes('text/html') ?? false;
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (!isBrowser || !isRead || API.test(c.req.path)) return undefined;
  return c.body(PAGE, 404, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Vary: 'Accept',
  });
}
