import { z } from '@hono/zod-openapi';
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { Id, Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../ledger/audit.ts';
import type { Database } from '../ledger/database.ts';
import { newRecordId } from '../ledger/record-id.ts';
import { apiKeys } from '../ledger/schema.ts';
import { IpAllowlist, RateLimits } from './record.ts';
import { Scope, readScopes, writeScopes } from './scope.ts';
import { type TokenPrefix, type TokenSecrets, mintToken } from './token.ts';

const MAX_LABEL_LENGTH = 100;

/** The most keys of one account that are listed; more than a person can tell apart. */
const MAX_LISTED = 200;

/** What the operator says of a new key. */
export const CreateApiKey = z
  .object({
    label: z.string().min(1).max(MAX_LABEL_LENGTH).openapi({ example: 'trading bot' }),
    scopes: z
      .array(Scope)
      .min(1)
      .max(Scope.options.length)
      .openapi({ example: ['read', 'trade'] }),
    expiresAt: z.iso.datetime().nullish().openapi({ example: '2027-11-21T12:00:00Z' }),
    ipAllowlist: IpAllowlist.nullish().openapi({
      description: 'Addresses and CIDR ranges that the key may be used from',
      example: ['192.0.2.0/24'],
    }),
    rateLimits: RateLimits.optional(),
  })
  .openapi('CreateApiKey');

export type CreateApiKey = z.output<typeof CreateApiKey>;

/** A key as it is shown: everything but the token. */
export const ApiKey = z
  .object({
    id: Id,
    accountId: Id,
    label: z.string().openapi({ example: 'trading bot' }),
    scopes: z.array(Scope).openapi({ example: ['read', 'trade'] }),
    ipAllowlist: z
      .array(z.string())
      .nullable()
      .openapi({ example: ['192.0.2.0/24'] }),
    rateLimits: RateLimits.openapi({ description: 'Those that differ from the defaults' }),
    createdAt: Timestamp,
    expiresAt: Timestamp.nullable().openapi({ example: '2027-11-21T12:00:00.000Z' }),
    revokedAt: Timestamp.nullable().openapi({ example: '2026-12-24T12:00:00.000Z' }),
  })
  .openapi('ApiKey');

export type ApiKey = z.output<typeof ApiKey>;

function showTime(time_ms: number | null): string | null {
  return time_ms === null ? null : new Date(time_ms).toISOString();
}

function showApiKey(row: typeof apiKeys.$inferSelect): ApiKey {
  return {
    id: row.id,
    accountId: row.accountId,
    label: row.label,
    scopes: readScopes(row.scopes),
    ipAllowlist: row.ipAllowlist === null ? null : IpAllowlist.parse(JSON.parse(row.ipAllowlist)),
    rateLimits: RateLimits.parse(JSON.parse(row.rateLimits)),
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: showTime(row.expiresAt),
    revokedAt: showTime(row.revokedAt),
  };
}

/** Makes a key with exact scopes. The token is in the answer and nowhere else. Throws when D1 fails. */
export async function createApiKey(
  database: Database,
  accountId: string,
  wanted: CreateApiKey,
  signing: { readonly prefix: TokenPrefix; readonly secrets: TokenSecrets },
  actor: Actor,
): Promise<{ readonly apiKey: ApiKey; readonly token: string }> {
  const id = newRecordId(actor.now_ms);
  const { token, tokenHash } = await mintToken(id, wanted.scopes, signing.prefix, signing.secrets);
  const insert = database
    .insert(apiKeys)
    .values({
      id,
      accountId,
      label: wanted.label,
      scopes: writeScopes(wanted.scopes),
      tokenHash,
      ipAllowlist: wanted.ipAllowlist ? JSON.stringify(wanted.ipAllowlist) : null,
      rateLimits: JSON.stringify(wanted.rateLimits ?? {}),
      createdAt: actor.now_ms,
      expiresAt: wanted.expiresAt ? Date.parse(wanted.expiresAt) : null,
    })
    .returning();
  const detail = { keyId: id, label: wanted.label, scopes: wanted.scopes };
  const [[row]] = await database.batch([insert, insertAudit(database, actor, 'create_api_key', accountId, detail)]);
  if (!row) throw new Error('a key that was just made is not there');
  return { apiKey: showApiKey(row), token };
}

/** Revokes a key for good; again is no error. `undefined` when the account has no such key. Throws when D1 fails. */
export async function revokeApiKey(
  database: Database,
  accountId: string,
  keyId: string,
  actor: Actor,
): Promise<ApiKey | undefined> {
  const own = and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId));
  const [standing] = await database.select().from(apiKeys).where(own);
  if (!standing || standing.revokedAt !== null) return standing && showApiKey(standing);
  const [, rows] = await database.batch([
    database
      .update(apiKeys)
      .set({ revokedAt: actor.now_ms })
      .where(and(own, isNull(apiKeys.revokedAt))),
    database.select().from(apiKeys).where(own),
    insertAudit(database, actor, 'revoke_api_key', accountId, { keyId }),
  ]);
  return rows[0] && showApiKey(rows[0]);
}

/** The keys of an account, newest first, revoked ones too. Throws when D1 fails. */
export async function listApiKeys(database: Database, accountId: string): Promise<ApiKey[]> {
  const rows = await database
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.accountId, accountId))
    .orderBy(desc(sql`id`))
    .limit(MAX_LISTED);
  return rows.map(showApiKey);
}
