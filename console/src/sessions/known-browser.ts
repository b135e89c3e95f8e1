import { digest } from '../../../src/platform/digest.ts';

/** How long a browser is known after its last sign-in. */
const KNOWN_MS = 400 * 86_400_000;

const hashOf = (cookie: string) => digest(`known browser ${cookie}`);

/** What is known of the browser of a sign-in. */
export interface SeenBrowser {
  /** Whether the user has signed in before, but never in this one. */
  readonly isNew: boolean;
  /** The statements that know it from now on. */
  readonly statements: readonly D1PreparedStatement[];
}

/**
 * Looks whether a user has signed in with the browser of a cookie before. The first browser of all is not a new one: there
 * is nothing that it differs from. Throws when D1 fails.
 */
export async function seeBrowser(
  identity: D1Database,
  userId: string,
  cookie: string,
  now_ms: number,
): Promise<SeenBrowser> {
  const hash = await hashOf(cookie);
  const since_ms = now_ms - KNOWN_MS;
  const { results } = await identity
    .prepare('SELECT hash FROM browsers WHERE user_id = ? AND seen_at > ?')
    .bind(userId, since_ms)
    .all<{ hash: string }>();
  return {
    isNew: results.length > 0 && !results.some((known) => known.hash === hash),
    statements: [
      identity.prepare('DELETE FROM browsers WHERE user_id = ? AND seen_at <= ?').bind(userId, since_ms),
      identity
        .prepare(
          'INSERT INTO browsers (user_id, hash, seen_at) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET seen_at = ?3',
        )
        .bind(userId, hash, now_ms),
    ],
  };
}

/** Whether a user has signed in with the browser of a cookie. Throws when D1 fails. */
export async function isKnownBrowser(identity: D1Database, userId: string, cookie: string): Promise<boolean> {
  const row = await identity
    .prepare('SELECT 1 FROM browsers WHERE user_id = ? AND hash = ?')
    .bind(userId, await hashOf(cookie))
    .first();
  return row !== null;
}
