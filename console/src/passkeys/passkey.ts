/** A passkey of a user. Times in milliseconds. */
export interface Passkey {
  /** The credential's id, in base64url. */
  readonly id: string;
  readonly userId: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly isBackedUp: boolean;
  readonly name: string;
  readonly createdAt_ms: number;
  readonly usedAt_ms: number | null;
}

interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly public_key: string;
  readonly counter: number;
  readonly transports: string;
  readonly backed_up: number;
  readonly name: string;
  readonly created_at: number;
  readonly used_at: number | null;
}

function toPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    userId: row.user_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: JSON.parse(row.transports) as string[],
    isBackedUp: row.backed_up === 1,
    name: row.name,
    createdAt_ms: row.created_at,
    usedAt_ms: row.used_at,
  };
}

/** The passkey of an id, or `undefined`. Throws when D1 fails. */
export async function readPasskey(identity: D1Database, id: string): Promise<Passkey | undefined> {
  const row = await identity.prepare('SELECT * FROM passkeys WHERE id = ?').bind(id).first<PasskeyRow>();
  return row ? toPasskey(row) : undefined;
}

/** The passkeys of a user, the oldest first. Throws when D1 fails. */
export async function listPasskeys(identity: D1Database, userId: string): Promise<Passkey[]> {
  const { results } = await identity
    .prepare('SELECT * FROM passkeys WHERE user_id = ? ORDER BY created_at')
    .bind(userId)
    .all<PasskeyRow>();
  return results.map(toPasskey);
}

const show = (time_ms: number) => new Date(time_ms).toISOString();

/** A passkey as its holder sees it. */
export function showPasskey({ id, name, isBackedUp, createdAt_ms, usedAt_ms }: Passkey) {
  return {
    id,
    name,
    isBackedUp,
    createdAt: show(createdAt_ms),
    usedAt: usedAt_ms === null ? null : show(usedAt_ms),
  };
}
