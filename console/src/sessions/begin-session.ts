import type { SessionLevel } from '../../../src/holder/session.ts';
import { accept } from '../../../src/http/refusal.ts';
import type { ConsoleContext } from '../http/context.ts';
import type { Outcome } from '../http/refusals.ts';
import type { User } from '../identity/user.ts';
import { writeCookie } from './cookie.ts';
import { drawSecret } from './secret.ts';
import { type Session, forgetSessions, storeSession } from './session.ts';

const MAX_AGENT_LENGTH = 200;

/** How a session begins. */
export interface Beginning {
  readonly user: User;
  readonly level: SessionLevel;
  /** When a passkey was used; `null` when none was. */
  readonly verifiedAt_ms: number | null;
  /** The session that it takes the place of in this browser, and which ends. */
  readonly replaces?: Session | undefined;
}

/**
 * Opens a session at the exchange and gives this browser its cookie: the headers of the answer. Refuses with what the
 * exchange refuses with. Throws when D1 fails; the session at the exchange is then of no use to anybody, and ends by
 * itself.
 */
export async function beginSession(
  c: ConsoleContext,
  { user, level, verifiedAt_ms, replaces }: Beginning,
): Promise<Outcome<Record<string, string>>> {
  const opened = await c.env.HOLDERS.openSession({ accountId: user.accountId, holder: user.id, level });
  if (!opened.ok) return opened;
  const { sessionId, token, expiresAt_ms, ended } = opened.value;
  const now_ms = Date.now();
  const cookie = drawSecret();
  const agent = (c.req.header('User-Agent') ?? 'unknown').slice(0, MAX_AGENT_LENGTH);
  const stored = { user, sessionId, token, level, isRecovered: false, verifiedAt_ms, expiresAt_ms, agent };
  const gone = replaces ? [...ended, replaces.sessionId] : ended;
  await c.env.IDENTITY.batch([
    await storeSession(c.env.IDENTITY, cookie, stored, now_ms),
    forgetSessions(c.env.IDENTITY, gone),
  ]);
  // Its row is gone, so nobody can read the old token; the exchange ends it as well, or lets it expire.
  if (replaces) await c.env.HOLDERS.endSessions(replaces.token, null);
  return accept(writeCookie('__Host-session', cookie, Math.floor((expiresAt_ms - now_ms) / 1_000)));
}
