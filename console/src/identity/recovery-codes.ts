import { digest } from '../../../src/platform/digest.ts';

const COUNT = 10;
const CODE_BYTES = 10;

/** A code as it is shown: sixteen letters of base32, in groups of four. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A code as somebody types it, in whichever case and grouping. */
function readCode(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z2-7]/g, '');
}

const hashOf = (userId: string, code: string) => digest(`recovery ${userId} ${code}`);

function drawCode(): string {
  const bits = [...crypto.getRandomValues(new Uint8Array(CODE_BYTES))]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]).join('');
}

/** Draws ten new recovery codes in place of the old ones. They are shown once; of 80 bits each. Throws when D1 fails. */
export async function drawRecoveryCodes(identity: D1Database, userId: string): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, drawCode);
  const hashes = await Promise.all(codes.map((code) => hashOf(userId, code)));
  await identity.batch([
    identity.prepare('DELETE FROM recovery_codes WHERE user_id = ?').bind(userId),
    ...hashes.map((hash) =>
      identity.prepare('INSERT INTO recovery_codes (user_id, hash) VALUES (?, ?)').bind(userId, hash),
    ),
  ]);
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join(' '));
}

/** Spends a recovery code, and returns whether it was one. Throws when D1 fails. */
export async function spendRecoveryCode(identity: D1Database, userId: string, text: string): Promise<boolean> {
  const { meta } = await identity
    .prepare('DELETE FROM recovery_codes WHERE user_id = ? AND hash = ?')
    .bind(userId, await hashOf(userId, readCode(text)))
    .run();
  return meta.changes === 1;
}

/** How many recovery codes are left. Throws when D1 fails. */
export async function countRecoveryCodes(identity: D1Database, userId: string): Promise<number> {
  const left = await identity
    .prepare('SELECT count(*) AS left FROM recovery_codes WHERE user_id = ?')
    .bind(userId)
    .first<number>('left');
  return left ?? 0;
}
