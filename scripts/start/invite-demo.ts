import { createHash, randomBytes } from 'node:crypto';
import type { Miniflare } from 'miniflare';
import type { Place } from './place.ts';

/** The holder of the demo account. */
export const DEMO_EMAIL = 'demo@bureau.example';

const LIFETIME_MS = 72 * 3_600_000;

/**
 * Writes an invitation of the demo account's holder into the console's database, and returns its link, which signs in
 * once. At a later start it signs the same holder in again.
 */
export async function inviteDemo(runtime: Miniflare, { consoleOrigin }: Place, accountId: string): Promise<string> {
  const database = await runtime.getD1Database('IDENTITY', 'bureau-console');
  const secret = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(`link ${secret}`).digest('base64url');
  await database
    .prepare(
      `INSERT INTO links (hash, kind, email, account_id, invited_by, expires_at)
       VALUES (?, 'invitation', ?, ?, 'npm start', ?)`,
    )
    .bind(hash, DEMO_EMAIL, accountId, Date.now() + LIFETIME_MS)
    .run();
  return `${consoleOrigin}/link#${secret}`;
}
