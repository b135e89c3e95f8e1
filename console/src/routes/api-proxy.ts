import { Hono } from 'hono';
import { refuse } from '../../../src/http/answer.ts';
import type { ConsoleContext, SignedInEnvironment } from '../http/context.ts';
import { readBytes } from '../http/read-body.ts';
import { passkeyNeeded, secondFactorNeeded, sendRefusal } from '../http/refusals.ts';
import { requireSession } from '../sessions/require-session.ts';
import { isFresh } from '../sessions/session.ts';

/** What passes from a page to the exchange. Neither the cookie nor a key that a page might send is among it. */
const PASSED_HEADERS = [
  'Accept',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'CF-Connecting-IP',
  'Upgrade',
  'User-Agent',
];

/** What everybody may read. It goes without the session's key, so that prices use up nothing of its limits. */
const PUBLIC_PATHS = /^\/api\/v1\/(markets(\/.*)?|assets|exchange-info|time|status|stream|openapi\.json)$/;

const WITHDRAWALS = '/api/v1/wallet/withdrawals';

const ENDPOINTS = '/api/v1/webhook-endpoints';

/** What a page may change at the public API, and whether it first wants a passkey that was just used. */
const CHANGES: readonly (readonly [method: string, path: RegExp, isSensitive: boolean])[] = [
  ['POST', /^\/api\/v1\/orders(\/preview)?$/, false],
  ['POST', new RegExp(`^${WITHDRAWALS}$`), true],
  // Whoever gets an account's events, or their secret, learns what it does.
  ['POST', new RegExp(`^${ENDPOINTS}$`), true],
  ['PATCH', new RegExp(`^${ENDPOINTS}/[0-9a-f-]{36}$`), true],
  ['POST', new RegExp(`^${ENDPOINTS}/[0-9a-f-]{36}/rotate-secret$`), true],
  ['POST', new RegExp(`^${ENDPOINTS}/[0-9a-f-]{36}/(test|resend|replay)$`), false],
  ['DELETE', new RegExp(`^${ENDPOINTS}/[0-9a-f-]{36}$`), false],
];

const noSuchChange = refuse('method_not_allowed', 'The console changes nothing at this path.');
const tooLarge = refuse('payload_too_large', 'The body is too large.');

/**
 * The public API for the console's pages: the session's key in place of the cookie, so that scopes, limits, replays and
 * a freeze hold as for every key.
 */
export const apiProxy = new Hono<SignedInEnvironment>();

apiProxy.get('/v1/*', async (c, next) => (PUBLIC_PATHS.test(c.req.path) ? forward(c, {}) : next()));

apiProxy.use(requireSession);

apiProxy.get('/v1/*', (c) => forward(c, { token: c.var.session.token }));

apiProxy.all('/v1/*', async (c) => {
  const { path } = c.req;
  const change = CHANGES.find(([method, known]) => method === c.req.method && known.test(path));
  if (!change) return sendRefusal(c, noSuchChange);
  const { session } = c.var;
  const [, , isSensitive] = change;
  if (isSensitive && !isFresh(session, Date.now())) return sendRefusal(c, passkeyNeeded);
  if (path === WITHDRAWALS) {
    const account = await c.env.HOLDERS.describe(session.token);
    if (!account.ok) return sendRefusal(c, account);
    if (!account.value.totp.enabled) return sendRefusal(c, secondFactorNeeded);
  }
  const body = await readBytes(c.req.raw);
  if (!body) return sendRefusal(c, tooLarge);
  return forward(c, { token: session.token, body, path });
});

/** A request as it goes on to the exchange. */
interface ForwardRequest {
  readonly token?: string;
  readonly body?: Uint8Array;
  /** In place of the path as it came, which a page may have written in another way. */
  readonly path?: string;
}

/** Sends a request to the exchange, and its answer back as it is. */
export async function forward(
  c: ConsoleContext,
  { token, body, path }: ForwardRequest,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const url = new URL(c.req.url);
  if (path !== undefined) url.pathname = path;
  const headers = new Headers({ 'X-Request-Id': c.var.requestId, ...more });
  for (const name of PASSED_HEADERS) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  const answer = await c.env.EXCHANGE.fetch(
    new Request(url, { method: c.req.method, headers, ...(body && { body }), redirect: 'manual' }),
  );
  const { status, headers: answered, webSocket } = answer;
  if (webSocket) return new Response(null, { status, headers: answered, webSocket });
  return new Response(answer.body, answer);
}
