import { drawSecret } from '../sessions/secret.ts';

/** How long an authenticator may take to answer. */
const LIFETIME_MS = 5 * 60_000;

/** What a challenge is for, and whose: a sign-in does not know yet. */
export type ChallengeFor =
  | { readonly purpose: 'sign_in' }
  | { readonly purpose: 'enrol' | 'refresh'; readonly userId: string };

/** Draws a challenge and keeps it for five minutes. Throws when D1 fails. */
export async function drawChallenge(identity: D1Database, wanted: ChallengeFor, now_ms: number): Promise<string> {
  const challenge = drawSecret();
  const userId = wanted.purpose === 'sign_in' ? null : wanted.userId;
  await identity.batch([
    identity.prepare('DELETE FROM challenges WHERE expires_at <= ?').bind(now_ms),
    identity
      .prepare('INSERT INTO challenges (challenge, purpose, user_id, expires_at) VALUES (?, ?, ?, ?)')
      .bind(challenge, wanted.purpose, userId, now_ms + LIFETIME_MS),
  ]);
  return challenge;
}

/**
 * Takes a challenge away, and returns whether it was there for this purpose and person. So each is answered once: a
 * replayed answer finds none. Throws when D1 fails.
 */
export async function takeChallenge(
  identity: D1Database,
  challenge: string,
  wanted: ChallengeFor,
  now_ms: number,
): Promise<boolean> {
  const row = await identity
    .prepare('DELETE FROM challenges WHERE challenge = ? RETURNING purpose, user_id, expires_at')
    .bind(challenge)
    .first<{ purpose: string; user_id: string | null; expires_at: number }>();
  const userId = wanted.purpose === 'sign_in' ? null : wanted.userId;
  return row !== null && row.purpose === wanted.purpose && row.user_id === userId && row.expires_at > now_ms;
}
