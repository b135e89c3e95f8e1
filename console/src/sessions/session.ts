import { seal, unseal } from '../../../src/accounts/seal.ts';
import type { SessionLevel } from '../../../src/holder/session.ts';
import { digest } from '../../../src/platform/digest.ts';
import { type User, readUser } from '../identity/user.ts';

/** How long a session may stay unused. The exchange ends it after 12 hours in any case. */
const IDLE_MS = 30 * 60_000;

/** How often the use of a session is noted at most. */
const TOUCH_MS = 60_000;

/** For how long the use of a passkey counts as fresh. */
const FRESH_MS = 5 * 60_000;

/** A session of this browser. */
export interface Session {
  readonly hash: string;
  readonly user: User;
  /** The id of its key at the exchange. */
  readonly sessionId: string;
  /** The key's token. It never leaves this Worker but to the exchange. */
  readonly token: string;
  readonly level: SessionLevel;
  readonly isRecovered: boolean;
  /** When a passkey was last used in it, in milliseconds. */
  readonly verifiedAt_ms: number | null;
  readonly expiresAt_ms: number;
}

interface SessionRow {
  readonly hash: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly sealed_token: string;
  readonly level: SessionLevel;
  readonly recovered: number;
  readonly verified_at: number | null;
  readonly used_at: number;
  readonly expires_at: number;
}

export interface NewSession extends Omit<Session, 'hash'> {
  readonly agent: string;
  /** Where the sign-in came from, in words; `null` where it is not known. */
  readonly place: string | null;
}

/** Only the digest of a cookie is stored. */
function hashOf(cookie: string): Promise<string> {
  return digest(`session ${cookie}`);
}

/** The statement that stores a session, whose token only the bearer of the cookie can read. */
export async function storeSession(identity: D1Database, cookie: string, session: NewSession, now_ms: number) {
  const hash = await hashOf(cookie);
  const sealed = await seal(session.token, hash, { 1: cookie });
  return identity
    .prepare(
      `INSERT INTO sessions (hash, user_id, session_id, sealed_token, level, recovered, verified_at, created_at, used_at,
         expires_at, agent, place) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10, ?11)`,
    )
    .bind(
      hash,
      session.user.id,
      session.sessionId,
      sealed,
      session.level,
      session.isRecovered ? 1 : 0,
      session.verifiedAt_ms,
      now_ms,
      session.expiresAt_ms,
      session.agent,
      session.place,
    );
}

/** The session of a cookie; `undefined` when there is none, it has ended or was unused too long. Throws when D1 fails. */
export async function readSession(identity: D1Database, cookie: string, now_ms: number): Promise<Session | undefined> {
  const hash = await hashOf(cookie);
  const row = await identity
    .prepare('SELECT * FROM sessions WHERE hash = ? AND expires_at > ? AND used_at > ?')
    .bind(hash, now_ms, now_ms - IDLE_MS)
    .first<SessionRow>();
  const user = row && (await readUser(identity, row.user_id));
  if (!row || !user) return undefined;
  if (now_ms - row.used_at > TOUCH_MS) {
    await identity.prepare('UPDATE sessions SET used_at = ? WHERE hash = ?').bind(now_ms, hash).run();
  }
  return {
    hash,
    user,
    sessionId: row.session_id,
    token: await unseal(row.sealed_token, hash, { 1: cookie }),
    level: row.level,
    isRecovered: row.recovered === 1,
    verifiedAt_ms: row.verified_at,
    expiresAt_ms: row.expires_at,
  };
}

/** Whether a passkey was used in the session in the last five minutes. */
export function isFresh({ verifiedAt_ms }: Session, now_ms: number): boolean {
  return verifiedAt_ms !== null && now_ms - verifiedAt_ms < FRESH_MS;
}

/** The statements that forget sessions by the ids of their keys. */
export function forgetSessions(identity: D1Database, sessionIds: readonly string[]): D1PreparedStatement {
  return identity
    .prepare('DELETE FROM sessions WHERE session_id IN (SELECT value FROM json_each(?))')
    .bind(JSON.stringify(sessionIds));
}

/** A session in the list of its user's. Times in milliseconds. */
export interface ListedSession {
  readonly id: string;
  readonly level: SessionLevel;
  readonly createdAt_ms: number;
  readonly usedAt_ms: number;
  readonly agent: string;
  readonly place: string | null;
}

/** The live sessions of a user, the last used first. Throws when D1 fails. */
export async function listSessions(identity: D1Database, userId: string, now_ms: number): Promise<ListedSession[]> {
  const { results } = await identity
    .prepare(
      `SELECT session_id, level, created_at, used_at, agent, place FROM sessions
       WHERE user_id = ? AND expires_at > ? AND used_at > ? ORDER BY used_at DESC`,
    )
    .bind(userId, now_ms, now_ms - IDLE_MS)
    .all<
      Pick<ListedSession, 'level' | 'agent' | 'place'> & { session_id: string; created_at: number; used_at: number }
    >();
  return results.map(({ session_id: id, created_at: createdAt_ms, used_at: usedAt_ms, ...session }) => ({
    id,
    createdAt_ms,
    usedAt_ms,
    ...session,
  }));
}
