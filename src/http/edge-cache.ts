import type { Context, TypedResponse } from 'hono';
import { sendProblem } from './area.ts';
import type { AppEnvironment, RequestContext } from './context.ts';
import { digest } from '../platform/digest.ts';
import type { Outcome } from './refusal.ts';

/** A JSON body that anyone may be given again for a while. */
export interface CacheableBody<Body = unknown> {
  readonly body: Body;
  /** How long from now; what is under a second is not kept. */
  readonly lifetime_ms: number;
}

/** What an answer needs of its request. */
type CacheContext = RequestContext & Pick<Context<AppEnvironment>, 'executionCtx'>;

/** What a route of the edge cache answers: this body, now or as it was kept, or a 304 that stands for it. */
type CachedAnswer<Body> = Response & TypedResponse<Body, 200, 'json'>;

/** One answer, made now or found in the cache. */
interface Entry {
  /** What is found is handed on as it comes: no copy of it is made here. */
  readonly body: string | ReadableStream;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly tag: string;
  readonly expires_ms: number;
}

/** Carries the absolute time of expiry inside a stored response: the cache's own `Age` cannot be relied on. */
const EXPIRY_HEADER = 'X-Expires-Ms';

/**
 * Answers from the edge cache of this data centre, else with what `produce` makes, which is then stored. `key` names
 * the content; the caller's URL has no part in it, so nobody can split or poison the cache. The answer may be kept
 * for what is left of its lifetime; `If-None-Match` gives 304 (RFC 9110, section 13.1.2). A hit costs no other I/O,
 * and a cache that cannot be asked costs nothing but speed. Headers of the single request, such as rate limits, are never stored.
 */
export async function answerThroughEdge<Body>(
  c: CacheContext,
  key: string,
  produce: () => Promise<Outcome<CacheableBody<Body>>>,
): Promise<CachedAnswer<Body>> {
  const found = await findEntry(key, Date.now());
  if (found) return sendEntry<Body>(c, found);
  const produced = await produce();
  if (!produced.ok) return sendProblem(c, produced);
  const body = JSON.stringify(produced.value.body);
  const expires_ms = Date.now() + produced.value.lifetime_ms;
  const entry = { body, tag: `"${await digest(body)}"`, expires_ms };
  if (produced.value.lifetime_ms >= 1_000) c.executionCtx.waitUntil(storeEntry(key, entry, produced.value.lifetime_ms));
  return sendEntry<Body>(c, entry);
}

function sendEntry<Body>(c: CacheContext, { body, tag, expires_ms }: Entry): CachedAnswer<Body> {
  const left_s = Math.max(0, Math.floor((expires_ms - Date.now()) / 1_000));
  const headers = { ETag: tag, 'Cache-Control': `public, max-age=${left_s}` };
  if (matchesTag(c.req.header('If-None-Match'), tag)) {
    if (typeof body !== 'string') c.executionCtx.waitUntil(body.cancel());
    return c.body(null, 304, headers) as Response as CachedAnswer<Body>;
  }
  return c.body(body, 200, { ...headers, 'Content-Type': 'application/json' }) as Response as CachedAnswer<Body>;
}

/** Whether the client has it already, by weak comparison: a proxy may have weakened the tag on its way. */
function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  const listed = ifNoneMatch?.split(',').map((listedTag) => listedTag.trim().replace(/^W\//, '')) ?? [];
  return listed.includes(tag) || listed.includes('*');
}

function keyRequest(key: string): Request {
  return new Request(`https://edge-cache.invalid/${key}`);
}

async function findEntry(key: string, now_ms: number): Promise<Entry | undefined> {
  try {
    const stored = await caches.default.match(keyRequest(key));
    const expires_ms = Number(stored?.headers.get(EXPIRY_HEADER));
    const tag = stored?.headers.get('ETag');
    if (stored && tag && expires_ms > now_ms) return { body: stored.body ?? '', tag, expires_ms };
  } catch {
    // As good as a miss.
  }
  return undefined;
}

async function storeEntry(key: string, { body, tag, expires_ms }: Entry, lifetime_ms: number): Promise<void> {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': `max-age=${Math.ceil(lifetime_ms / 1_000)}`,
    ETag: tag,
    [EXPIRY_HEADER]: String(expires_ms),
  };
  try {
    await caches.default.put(keyRequest(key), new Response(body, { headers }));
  } catch {
    // The next request produces it again.
  }
}
