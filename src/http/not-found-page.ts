import type { Context } from 'hono';
import type { AppEnvironment } from './context.ts';

/** What is the API's is answered as a problem, whoever asks. */
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
 * The answer to somebody who opens an address in a browser at which there is nothing; `undefined` for a program, which
 * gets a problem. A browser says that it takes HTML.
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
