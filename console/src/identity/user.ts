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
  return toUser(await identity.prepare(`${COLUMNS} WHERE account_id = ?`).bind(accountId).first<UserRow>());
}
