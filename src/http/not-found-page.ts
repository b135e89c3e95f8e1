import type { Context } from 'hono';
import type { AppEnvironment } from './area.ts';
import { tryOrLog } from '../platform/log.ts';

/** Addresses of the API are answered with a problem, also to a browser. */
const API = /^\/(api|operator)(\/|$)/;

/** The page of the site that says that there is nothing. */
const PATH = '/docs/not-found';

/**
 * The page for somebody who opens an unknown address in a browser, which accepts HTML. `undefined` for a program, which
 * gets a problem, and where there is no site or it cannot be read.
 */
export async function answerWithPage(c: Context<AppEnvironment>): Promise<Response | undefined> {
  const isBrowser = c.req.header('Accept')?.includes('text/html') ?? false;
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (!isBrowser || !isRead || API.test(c.req.path)) return undefined;
  return tryOrLog('site_unreadable', {}, undefined, async () => {
    const page = await c.env.SITE?.fetch(new URL(PATH, c.req.url));
    if (!page?.ok) return undefined;
    const { etag: _, ...headers } = Object.fromEntries(page.headers);
    return c.body(await page.text(), 404, { ...headers, 'cache-control': 'no-store', vary: 'Accept' });
  });
}
