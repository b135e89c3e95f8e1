import { and, eq, gt, inArray, isNull } from 'drizzle-orm';
import { type Actor, insertAudit } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { lowestRecordId } from '../db/record-id.ts';
import { numberChange } from '../db/record-number.ts';
import { apiKeys } from '../db/schema.ts';
import { listKeyIds } from './record.ts';
import { type Scope, writeScopes } from './rights.ts';
import { type TokenPrefix, type TokenSecrets, mintToken } from './token.ts';

/** How long a session lasts. The database refuses a longer one. */
export const SESSION_MS = 12 * 3_600_000;

/** How many sessions of an account may be live. The database refuses more. */
export const MAX_SESSIONS = 5;

/** What a session key is labelled. Nobody is shown it. */
const LABEL = 'console';

export interface NewSession {
  readonly id: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** The browser, if its holder is to be told of it; else `null`. */
  readonly newBrowser: string | null;
  /** Where it came from, in words; `null` where it is not known. */
  readonly place: string | null;
}

/**
 * Prepares a session: its token, which is stored nowhere, and the statements that make its key and end the sessions of
 * `ended`, one batch. The caller must tell the lanes of those.
 */
export async function prepareSession(
  database: Database,
  { id, accountId, scopes, newBrowser, place }: NewSession,
  ended: readonly string[],
  signing: { readonly prefix: TokenPrefix; readonly secrets: TokenSecrets },
  actor: Actor,
) {
  const { token, tokenHash } = await mintToken(id, scopes, signing.prefix, signing.secrets);
  const expiresAt_ms = actor.now_ms + SESSION_MS;
  const insert = database.insert(apiKeys).values({
    id,
    accountId,
    label: LABEL,
    kind: 'session',
    scopes: writeScopes(scopes),
    tokenHash,
    createdAt: actor.now_ms,
    expiresAt: expiresAt_ms,
  });
  const detail = {
    sessionId: id,
    scopes,
    ...(newBrowser !== null && { browser: newBrowser }),
    ...(place !== null && { place }),
  };
  const statements = [
    insertAudit(database, actor, 'open_session', accountId, detail),
    ...endSessions(database, accountId, ended, actor),
    insert,
  ] as const;
  return { token, expiresAt_ms, statements };
}

/** The statements that end sessions of an account; none for an empty list. */
export function endSessions(database: Database, accountId: string, ids: readonly string[], actor: Actor) {
  if (ids.length === 0) return [];
  const ends = ids.map((id) => {
    const isStanding = and(eq(apiKeys.id, id), isSession(accountId), isNull(apiKeys.revokedAt));
    return database.update(apiKeys).set({ revokedAt: actor.now_ms }).where(isStanding);
  });
  return [...ends, numberChange(database, accountId, actor.now_ms)];
}

const isSession = (accountId: string) => and(eq(apiKeys.accountId, accountId), eq(apiKeys.kind, 'session'));

/** Which of some ids are sessions of an account, ended ones too. Throws when D1 fails. */
export function findOwnSessions(database: Database, accountId: string, ids: readonly string[]): Promise<string[]> {
  return listKeyIds(database, and(isSession(accountId), inArray(apiKeys.id, [...ids])));
}

/** The ids of an account's live sessions, oldest first. Throws when D1 fails. */
export async function listLiveSessionIds(database: Database, accountId: string, now_ms: number): Promise<string[]> {
  const isYoung = gt(apiKeys.id, lowestRecordId(now_ms - SESSION_MS));
  const isLive = and(isSession(accountId), isYoung, gt(apiKeys.expiresAt, now_ms), isNull(apiKeys.revokedAt));
  return (await listKeyIds(database, isLive)).toSorted();
}
