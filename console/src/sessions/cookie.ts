import type { ConsoleContext } from '../http/context.ts';

/**
 * The cookie of a session, the one by which a browser that asked for a link is known again, and the one by which a browser
 * is known in which somebody has signed in before.
 */
export type CookieName = '__Host-session' | '__Host-link' | '__Host-browser';

/** HttpOnly: no script reads it. `__Host-`: no other host sets it. Strict: no other site's page sends it. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** The secret in a cookie of the request; `undefined` when there is none that could be one. */
export function readCookie(c: ConsoleContext, name: CookieName): string | undefined {
  const parts = (c.req.header('Cookie') ?? '').split('; ');
  const value = parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
  return value !== undefined && SECRET.test(value) ? value : undefined;
}

/** The headers of an answer that stores something in the browser. */
export interface CookieHeaders extends Record<string, string[]> {
  readonly 'Set-Cookie': string[];
}

/** The header that stores a secret in the browser for so many seconds; 0 deletes it. */
export function writeCookie(name: CookieName, secret: string, age_s: number): CookieHeaders {
  return { 'Set-Cookie': [`${name}=${secret}; Max-Age=${age_s}; ${ATTRIBUTES}`] };
}
