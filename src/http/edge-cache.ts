import type { Context, TypedResponse } from 'hono';
import { sendProblem, type AnswerSource, type AppEnvironment, type RequestContext } from './area.ts';
import { digest } from '../platform/digest.ts';
import { tryOrLog } from '../platform/log.ts';
import { type ReadyAnswer, RecentAnswers } from './recent-answers.ts';
import type { Outcome } from './answer.ts';

/** A JSON body that may be served to everybody for a while. */
export interface CacheableBody<Body = unknown> {
  readonly body: Body;
  /** How long it may be served from now on. Less than a second is not stored. */
  readonly lifetime_ms: number;
}

/** What an answer needs of its request. */
type CacheContext = RequestContext & Pick<Context<AppEnvironment>, 'executionCtx' | 'set'>;

/** The answer of a cached route: the body, new or stored, or a 304 in its place. */
type CachedAnswer<Body> = Response & TypedResponse<Body, 200, 'json'>;

/** The answers that this isolate sent within the last second. */
export const recentAnswers = new RecentAnswers();

/** A header of the stored response with its absolute time of expiry, since the cache's own `Age` is not reliable. */
const EXPIRY_HEADER = 'X-Expires-Ms';

/**
 * Answers with what this isolate sent within the last second, else from the edge cache of this data centre, else with
 * what `produce` makes, which is then stored. `key` names the content and does not contain the caller's URL, so nobody
 * can split or poison the cache; it is kept under the exchange's own host, since the platform looks another one up.
 * `X-Edge-Cache` says where the answer came from, and so does the log. The answer may be kept for what is left of its
 * lifetime; `If-None-Match` gives 304 (RFC 9110, section 13.1.2). A hit needs no other I/O. When the cache fails, that
 * is logged and the answer is produced anew. Headers of the single request, such as rate limits, are never stored.
 */
export async function answerThroughEdge<Body>(
  c: CacheContext,
  key: string,
  produce: () => Promise<Outcome<CacheableBody<Body>>>,
): Promise<CachedAnswer<Body>> {
  const recent = recentAnswers.find(key, Date.now());
  if (recent) return sendAnswer<Body>(c, recent, 'isolate');
  const place = new URL(`/edge-cache/${key}`, c.req.url).href;
  const found = await findStored(place, Date.now());
  if (typeof found === 'object') {
    recentAnswers.keep(key, found, Date.now());
    return sendAnswer<Body>(c, found, 'hit');
  }
  const produced = await produce();
  if (!produced.ok) return sendProblem(c, produced);
  const body = JSON.stringify(produced.value.body);
  const answer = { body, tag: `"${await digest(body)}"`, expires_ms: Date.now() + produced.value.lifetime_ms };
  if (produced.value.lifetime_ms >= 1_000) {
    recentAnswers.keep(key, answer, Date.now());
    c.executionCtx.waitUntil(store(place, answer, produced.value.lifetime_ms));
  }
  return sendAnswer<Body>(c, answer, found);
}

function sendAnswer<Body>(
  c: CacheContext,
  { body, tag, expires_ms }: ReadyAnswer,
  source: AnswerSource,
): CachedAnswer<Body> {
  c.set('edgeCache', source);
  const left_s = Math.max(0, Math.floor((expires_ms - Date.now()) / 1_000));
  const headers = { ETag: tag, 'Cache-Control': `public, max-age=${left_s}`, 'X-Edge-Cache': source };
  if (matchesTag(c.req.header('If-None-Match'), tag)) {
    return c.body(null, 304, headers) as Response as CachedAnswer<Body>;
  }
  return c.body(body, 200, { ...headers, 'Content-Type': 'application/json' }) as Response as CachedAnswer<Body>;
}

/** Whether the client has this version already. The comparison is weak, because a proxy may have weakened the tag. */
function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  const listed = ifNoneMatch?.split(',').map((listedTag) => listedTag.trim().replace(/^W\//, '')) ?? [];
  return listed.includes(tag) || listed.includes('*');
}

/** What the cache has at a place, or why it has nothing. */
async function findStored(place: string, now_ms: number): Promise<ReadyAnswer | 'miss' | 'failed'> {
  return tryOrLog('edge_cache_failed', {}, 'failed', async () => {
    const stored = await caches.default.match(place);
    const expires_ms = Number(stored?.headers.get(EXPIRY_HEADER));
    const tag = stored?.headers.get('ETag');
    if (stored && tag && expires_ms > now_ms) return { body: await stored.text(), tag, expires_ms };
    await stored?.body?.cancel();
    return 'miss';
  });
}

async function store(place: string, { body, tag, expires_ms }: ReadyAnswer, lifetime_ms: number): Promise<void> {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': `max-age=${Math.ceil(lifetime_ms / 1_000)}`,
    ETag: tag,
    [EXPIRY_HEADER]: String(expires_ms),
  };
  // When it fails, the next request produces it again.
  await tryOrLog('edge_cache_failed', {}, undefined, () => caches.default.put(place, new Response(body, { headers })));
}
