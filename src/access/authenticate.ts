import type { MiddlewareHandler } from 'hono';
import { config } from '../env.ts';
import { sendProblem, type AppEnvironment, type RequestContext } from '../http/area.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { refuseScope } from '../keys/record.ts';
import type { Scope } from '../keys/rights.ts';
import { type PresentedKey, type TokenPrefix, verifyToken } from '../keys/token.ts';

/** What a route that needs a key knows about it. */
export interface KeyEnvironment extends AppEnvironment {
  readonly Variables: AppEnvironment['Variables'] & { key: PresentedKey };
}

const prefix: TokenPrefix = config.ENVIRONMENT === 'production' ? 'bk_live' : 'bk_test';

/** RFC 6750: the scheme's name is case-insensitive, one space, the token. */
const BEARER = /^Bearer +(\S+)$/i;

/** The token of an Authorization header, or `undefined` when it holds no Bearer token. */
export function readBearer(header: string | undefined): string | undefined {
  return BEARER.exec(header ?? '')?.[1];
}

/** A map of at most `room` entries: for one more, the oldest is forgotten. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #room: number;

  constructor(room: number) {
    super();
    this.#room = room;
  }

  override set(key: Key, value: Value): this {
    for (const oldest of this.keys()) {
      if (this.size < this.#room || this.has(key)) break;
      this.delete(oldest);
    }
    return super.set(key, value);
  }
}

/**
 * The tokens whose tag was found valid. It stays valid while this isolate lives, since its secrets do not change. The lane
 * checks whether the key is revoked.
 */
const knownTokens = new BoundedMap<string, PresentedKey>(1_000);

/** Reads the key of a request and checks its tag: no I/O, `missing_api_key` or `invalid_api_key`. */
export async function presentKey(c: RequestContext): Promise<Outcome<PresentedKey>> {
  const token = readBearer(c.req.header('Authorization'));
  if (token === undefined) {
    return refuse('missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.');
  }
  const known = knownTokens.get(token);
  if (known) return accept(known);
  const verified = await verifyToken(token, prefix, config.API_KEY_SECRETS);
  if (verified.ok) knownTokens.set(token, verified.value);
  return verified;
}

/**
 * Ends a request whose key is missing, forged, or lacks the scope, before anything else is checked; `null` accepts any
 * scope.
 */
export function authenticate(scope: Scope | null): MiddlewareHandler<KeyEnvironment> {
  return async (c, next) => {
    const presented = await presentKey(c);
    if (!presented.ok) return sendProblem(c, presented);
    if (scope !== null && !presented.value.scopes.includes(scope)) return sendProblem(c, refuseScope(scope));
    c.set('key', presented.value);
    c.set('caller', presented.value.keyId);
    // The answer is private: no cache may store it.
    c.header('Cache-Control', 'no-store');
    return next();
  };
}

/** The address that a request came from, as Cloudflare saw it. */
export function readCallerIp(c: RequestContext): string {
  return c.req.header('CF-Connecting-IP') ?? 'unknown';
}

/** Signs a token of this environment for a new key. */
export const tokenSettings = { prefix, secrets: config.API_KEY_SECRETS };
