import type { SessionLevel } from '../../../src/holder/session.ts';
import { accept } from '../../../src/http/answer.ts';
import { namePlace } from '../http/caller.ts';
import type { ConsoleContext } from '../http/context.ts';
import type { Outcome } from '../http/refusals.ts';
import type { User } from '../identity/user.ts';
import { tellUser } from '../mail/mail-queue.ts';
import { type CookieHeaders, readCookie, writeCookie } from './cookie.ts';
import { seeBrowser } from './known-browser.ts';
import { drawSecret } from './secret.ts';
import { type Session, forgetSessions, storeSession } from './session.ts';

const MAX_AGENT_LENGTH = 200;

/** As long as browsers keep a cookie (RFC 6265bis, section 5.6). */
const BROWSER_COOKIE_S = 400 * 86_400;

export interface SessionStart {
  readonly user: User;
  readonly level: SessionLevel;
  /** When a passkey was used; `null` when none was. */
  readonly verifiedAt_ms: number | null;
  /** The session that it takes the place of in this browser, and which ends. */
  readonly replaces?: Session | undefined;
}

/**
 * Opens a session at the exchange and gives this browser its cookies: the headers of the answer. A sign-in with a browser
 * that is new is mailed. Refuses with what the exchange refuses with. Throws when D1 fails; the session at the exchange is
 * then of no use to anybody, and ends by itself.
 */
export async function beginSession(
  c: ConsoleContext,
  { user, level, verifiedAt_ms, replaces }: SessionStart,
): Promise<Outcome<CookieHeaders>> {
  const now_ms = Date.now();
  const agent = (c.req.header('User-Agent') ?? 'unknown').slice(0, MAX_AGENT_LENGTH);
  const browser = readCookie(c, '__Host-browser') ?? drawSecret();
  const seen = await seeBrowser(c.env.IDENTITY, user.id, browser, now_ms);
  const newBrowser = seen.isNew ? agent : null;
  const place = namePlace(c);
  const { accountId, id: holder, email } = user;
  const opened = await c.env.HOLDERS.openSession({ accountId, holder, email, level, newBrowser, place });
  if (!opened.ok) return opened;
  const { sessionId, token, expiresAt_ms, ended } = opened.value;
  const cookie = drawSecret();
  const stored = { user, sessionId, token, level, isRecovered: false, verifiedAt_ms, expiresAt_ms, agent, place };
  const gone = replaces ? [...ended, replaces.sessionId] : ended;
  await c.env.IDENTITY.batch([
    await storeSession(c.env.IDENTITY, cookie, stored, now_ms),
    forgetSessions(c.env.IDENTITY, gone),
    ...seen.statements,
  ]);
  // Its row is gone, so nobody can read the old token; the exchange ends it as well, or lets it expire.
  if (replaces) await c.env.HOLDERS.endSessions(replaces.token, null);
  if (newBrowser !== null) await tellUser(c.env, user, { kind: 'new_browser', detail: { browser: newBrowser, place } });
  const cookies = [
    writeCookie('__Host-session', cookie, Math.floor((expiresAt_ms - now_ms) / 1_000)),
    writeCookie('__Host-browser', browser, BROWSER_COOKIE_S),
  ];
  return accept({ 'Set-Cookie': cookies.flatMap((headers) => headers['Set-Cookie']) });
}
