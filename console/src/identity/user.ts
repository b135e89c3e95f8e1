import { newRecordId } from '../../../src/db/record-id.ts';

/** Who signs in, and for which account of the exchange. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly accountId: string;
}

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly account_id: string;
}

function toUser(row: UserRow | null): User | undefined {
  return row ? { id: row.id, email: row.email, accountId: row.account_id } : undefined;
}

const COLUMNS = 'SELECT id, email, account_id FROM users';

/** The user of an id, or `undefined`. Throws when D1 fails. */
export async function readUser(identity: D1Database, id: string): Promise<User | undefined> {
  return toUser(await identity.prepare(`${COLUMNS} WHERE id = ?`).bind(id).first<UserRow>());
}

/** The user of an e-mail in lower case, or `undefined`. Throws when D1 fails. */
export async function findUserByEmail(identity: D1Database, email: string): Promise<User | undefined> {
  return toUser(await identity.prepare(`${COLUMNS} WHERE email = ?`).bind(email).first<UserRow>());
}

/** The holder of an account, or `undefined`. Throws when D1 fails. */
export async function findHolder(identity: D1Database, accountId: string): Promise<User | undefined> {
  return (await listHolders(identity, [accountId]))[0];
}

/** The holders of accounts. Throws when D1 fails. */
export async function listHolders(identity: D1Database, accountIds: readonly string[]): Promise<User[]> {
  const { results } = await identity
    .prepare(`${COLUMNS} WHERE account_id IN (SELECT value FROM json_each(?))`)
    .bind(JSON.stringify(accountIds))
    .all<UserRow>();
  return results.flatMap((row) => toUser(row) ?? []);
}

/** Above every text that begins as another one does. */
const LAST_CHARACTER = '\u{10FFFF}';

/** The first `most` holders whose e-mail begins with a text, which is in lower case. Throws when D1 fails. */
export async function findHoldersByEmail(identity: D1Database, beginning: string, most: number): Promise<User[]> {
  const { results } = await identity
    .prepare(`${COLUMNS} WHERE email >= ?1 AND email < ?2 ORDER BY email LIMIT ?3`)
    .bind(beginning, beginning + LAST_CHARACTER, most)
    .all<UserRow>();
  return results.flatMap((row) => toUser(row) ?? []);
}

/**
 * Keeps who may be the holder of an account, before the exchange is asked: so whatever is cut off, the same person has the
 * same id. `undefined` when the account or the address is somebody else's. Throws when D1 fails.
 */
export async function keepHolder(
  identity: D1Database,
  email: string,
  accountId: string,
  now_ms: number,
): Promise<User | undefined> {
  await identity
    .prepare('INSERT INTO users (id, email, account_id, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
    .bind(newRecordId(now_ms), email, accountId, now_ms)
    .run();
  const user = await findUserByEmail(identity, email);
  return user?.accountId === accountId ? user : undefined;
}

/**
 * Forgets who was kept as the holder of an account but is not, as the exchange says: nobody, or everybody but whom it has
 * just invited. Throws when D1 fails.
 */
export async function forgetHolder(identity: D1Database, accountId: string, exceptEmail = ''): Promise<void> {
  const whose = '(SELECT id FROM users WHERE account_id = ?1 AND email <> ?2)';
  // What a request for a link leaves. A user with a session was the holder, and stays: the foreign keys refuse it.
  const parts = ['links', 'freeze_links', 'mails', 'mailboxes'].map((table) =>
    identity.prepare(`DELETE FROM ${table} WHERE user_id IN ${whose}`).bind(accountId, exceptEmail),
  );
  const users = identity
    .prepare('DELETE FROM users WHERE account_id = ?1 AND email <> ?2')
    .bind(accountId, exceptEmail);
  await identity.batch([...parts, users]);
}
