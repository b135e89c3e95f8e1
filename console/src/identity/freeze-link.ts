import { digest } from '../../../src/platform/digest.ts';
import { drawSecret } from '../sessions/secret.ts';
import { type User, readUser } from './user.ts';

/** How long a link freezes the account. */
const LIFETIME_MS = 7 * 86_400_000;

const hashOf = (secret: string) => digest(`freeze ${secret}`);

/** The page of a link. Its secret goes behind this in the fragment, which browsers send to nobody. */
export function writeFreezeLink(origin: string, secret: string): string {
  return `${origin}/freeze#${secret}`;
}

/** What a link is for. */
interface FreezeLink {
  /** Whose account it freezes. */
  readonly user: User;
  /** The subject of the mail that it was in. */
  readonly subject: string;
  readonly mailedAt_ms: number;
}

/**
 * Makes a link by which a user freezes the account, in any browser, for the mail of a subject. Returns its secret. Throws
 * when D1 fails.
 */
export async function makeFreezeLink(
  identity: D1Database,
  userId: string,
  subject: string,
  now_ms: number,
): Promise<string> {
  const secret = drawSecret();
  await identity.batch([
    identity.prepare('DELETE FROM freeze_links WHERE expires_at <= ?').bind(now_ms),
    identity
      .prepare('INSERT INTO freeze_links (hash, user_id, subject, expires_at) VALUES (?, ?, ?, ?)')
      .bind(await hashOf(secret), userId, subject, now_ms + LIFETIME_MS),
  ]);
  return secret;
}

/** What a link is for; `undefined` when it has expired or never was. It can be used again. Throws when D1 fails. */
export async function findFreezeLink(
  identity: D1Database,
  secret: string,
  now_ms: number,
): Promise<FreezeLink | undefined> {
  const row = await identity
    .prepare('SELECT user_id, subject, expires_at FROM freeze_links WHERE hash = ? AND expires_at > ?')
    .bind(await hashOf(secret), now_ms)
    .first<{ user_id: string; subject: string; expires_at: number }>();
  const user = row && (await readUser(identity, row.user_id));
  return user ? { user, subject: row.subject, mailedAt_ms: row.expires_at - LIFETIME_MS } : undefined;
}
