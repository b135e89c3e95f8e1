import type { Context } from 'hono';
import type { AppEnvironment } from './area.ts';

/** Addresses of the API are answered with a problem, also to a browser. */
const API = /^\/(api|operator)(\/|$)/;

/** As the documentation looks, whose stylesheet has another name after each change. */
const STYLE = `:root{color-scheme:light dark}
body{margin:0;background:light-dark(#fff,#111418);color:light-dark(#15191f,#e6eaef);font:1rem/1.6 system-ui,sans-serif}
header{display:flex;gap:1.25rem;padding:.8rem 1.25rem;border-bottom:1px solid light-dark(#d9dee5,#2d343d)}
a{color:light-dark(#1a56c4,#8ab4ff);font-weight:600;text-decoration:none}
header a+a{color:inherit;font-weight:400}
header a:first-child{display:flex;gap:.4rem;color:inherit;font-weight:700}
svg{width:1.6rem;height:1.6rem}
main{max-width:38rem;margin:0 auto;padding:3rem 1.25rem}
h1{font-size:1.9rem;line-height:1.25;font-weight:650;margin:0 0 1rem}
ul{list-style:none;margin:1.5rem 0;padding:0}
li{margin:.9rem 0;padding:.9rem 1.1rem;border:1px solid light-dark(#d9dee5,#2d343d);border-radius:.6rem}
li span{display:block;color:light-dark(#525c69,#a3adba);font-size:.94rem}`;

/** The digest by which the page's policy allows this style and no other (CSP 3, section 6.7.3). A test compares both. */
const STYLE_DIGEST = 'sha256-PZzS3VT3ilCAT9GcEq1ZT5FQur6onT7hzKAnJ9I62PE=';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nothing here · Bureau</title>
<style>${STYLE}</style>
</head>
<body>
<header><a href="/docs"><svg aria-hidden="true" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1a56c4"/>
<path d="M9 12h13m-4-4 4 4-4 4M23 20H10m4-4-4 4 4 4"
fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>Bureau</a>
<a href="/docs">Trade</a><a href="/docs/operate">Operate</a></header>
<main>
<h1>There is nothing at this address</h1>
<p>It may have been mistyped, or the page has moved.</p>
<ul>
<li><a href="/docs">The documentation</a><span>Guides for those who trade, and a search over everything.</span></li>
<li><a href="/docs/reference">The reference</a><span>Every operation of the API.</span></li>
<li><a href="/docs/guides/questions">Questions</a><span>What is asked first, with short answers.</span></li>
<li><a href="/errors">The errors</a><span>Every code, what it means and what to do.</span></li>
</ul>
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
    'Content-Security-Policy': `default-src 'none'; style-src '${STYLE_DIGEST}'; base-uri 'none'; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Vary: 'Accept',
  });
}
