import { z } from '@hono/zod-openapi';
import { and, desc, eq, gt, isNotNull, isNull, lt, or, sql } from 'drizzle-orm';
import { type Refusal, refuse, refuseField } from '../http/answer.ts';
import type { GuardRefusals } from '../db/explain.ts';
import { Id, Timestamp, showTime } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { isRecordId, lowestRecordId } from '../db/record-id.ts';
import { numberChange } from '../db/record-number.ts';
import { apiKeys } from '../db/schema.ts';
import { BucketAllowance, IpAllowlist, type KeyDetails, Limits, RateLimits, listKeyIds, readKeyRow } from './record.ts';
import { Scope, bucketNames, defaultLimits, limitsOf, writeScopes } from './rights.ts';
import { SESSION_MS } from './session-key.ts';
import { type TokenPrefix, type TokenSecrets, mintToken } from './token.ts';

const MAX_LABEL_LENGTH = 100;

/** How many revoked keys a page of an account's keys has. */
const REVOKED_PAGE = 50;

/** The most keys of an account that are not revoked. A trigger holds it. */
const MAX_KEYS = 50;

export const tooManyKeys: GuardRefusals = {
  too_many_keys: refuse('invalid_state', `The account has ${MAX_KEYS} API keys. Revoke one first.`),
};

const NewAllowance = BucketAllowance.strict().optional();
const NewLimits = z.strictObject({ read: NewAllowance, trade: NewAllowance, withdraw: NewAllowance });

export const CreateApiKey = z
  .strictObject({
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
    rateLimits: NewLimits.optional(),
  })
  .openapi('CreateApiKey');

export type CreateApiKey = z.output<typeof CreateApiKey>;

/** Refuses a key that would have expired already. */
export function refusePastExpiry({ expiresAt }: Pick<CreateApiKey, 'expiresAt'>, now_ms: number): Refusal | undefined {
  const isPast = expiresAt != null && Date.parse(expiresAt) <= now_ms;
  return isPast ? refuseField('/expiresAt', 'below_minimum', 'is in the past') : undefined;
}

/** The body with which a holder makes a key of their own account: the limits are the operator's to set. */
export const CreateOwnKey = CreateApiKey.omit({ rateLimits: true });

const IpRanges = z.array(z.string()).nullable();

/** A key as it is shown: everything but the token. */
export const ApiKey = z
  .object({
    id: Id,
    accountId: Id,
    label: z.string().openapi({ example: 'trading bot' }),
    scopes: z.array(Scope).openapi({ example: ['read', 'trade'] }),
    ipAllowlist: IpRanges.openapi({ example: ['192.0.2.0/24'] }),
    rateLimits: RateLimits.openapi({ description: 'Those that differ from the defaults' }),
    createdAt: Timestamp,
    expiresAt: Timestamp.nullable().openapi({ example: '2027-11-21T12:00:00.000Z' }),
    revokedAt: Timestamp.nullable().openapi({ example: '2026-12-24T12:00:00.000Z' }),
  })
  .openapi('ApiKey');

export type ApiKey = z.output<typeof ApiKey>;

/** A key with its last use. */
export const UsedApiKey = ApiKey.extend({
  lastUsedAt: Timestamp.nullable().openapi({
    description: 'To the second; null for a key that was never used or is revoked, and while it cannot be read',
  }),
}).openapi('UsedApiKey');

export type UsedApiKey = z.output<typeof UsedApiKey>;

/** Shows a key, read from its row or from its lane. */
export function showApiKey(key: KeyDetails): ApiKey {
  return {
    id: key.id,
    accountId: key.accountId,
    label: key.label,
    scopes: [...key.scopes],
    ipAllowlist: key.ipAllowlist && [...key.ipAllowlist],
    rateLimits: key.rateLimits,
    createdAt: showTime(key.createdAt),
    expiresAt: showTime(key.expiresAt),
    revokedAt: showTime(key.revokedAt),
  };
}

export const OwnApiKey = ApiKey.pick({ id: true, label: true, scopes: true, ipAllowlist: true, createdAt: true })
  .extend({
    ipAllowlist: IpRanges.openapi({
      description: 'Addresses and CIDR ranges that the key may be used from; null allows every address',
      example: ['192.0.2.0/24'],
    }),
    expiresAt: Timestamp.nullable(),
    limits: Limits.openapi({ description: 'The limits of each bucket of the key', example: { ...defaultLimits } }),
  })
  .openapi('OwnApiKey');

export type OwnApiKey = z.output<typeof OwnApiKey>;

/** Shows a key to its holder, with the limits that hold for it. */
export function showOwnApiKey(record: KeyDetails): OwnApiKey {
  const { id, label, scopes, ipAllowlist, createdAt, expiresAt } = showApiKey(record);
  const limits = Object.fromEntries(bucketNames.map((bucket) => [bucket, limitsOf(record, bucket)]));
  return { id, label, scopes, ipAllowlist, createdAt, expiresAt, limits: limits as OwnApiKey['limits'] };
}

/** A key that is to be made: its token, which is stored nowhere, and the statements that make it. */
export async function prepareApiKey(
  database: Database,
  id: string,
  accountId: string,
  wanted: CreateApiKey,
  signing: { readonly prefix: TokenPrefix; readonly secrets: TokenSecrets; readonly secret?: string },
  actor: Actor,
) {
  const { token, tokenHash } = await mintToken(id, wanted.scopes, signing.prefix, signing.secrets, signing.secret);
  const insert = database.insert(apiKeys).values({
    id,
    accountId,
    label: wanted.label,
    scopes: writeScopes(wanted.scopes),
    tokenHash,
    ipAllowlist: wanted.ipAllowlist ? JSON.stringify(wanted.ipAllowlist) : null,
    rateLimits: JSON.stringify(wanted.rateLimits ?? {}),
    createdAt: actor.now_ms,
    expiresAt: wanted.expiresAt ? Date.parse(wanted.expiresAt) : null,
  });
  const detail = { keyId: id, label: wanted.label, scopes: wanted.scopes };
  return { token, statements: [insertAudit(database, actor, 'create_api_key', accountId, detail), insert] as const };
}

export type Revocation =
  | { readonly kind: 'revoked'; readonly apiKey: ApiKey }
  /** It has no row: it never existed, or was made after the time to which the database was restored. */
  | { readonly kind: 'off_record' }
  /** It is another account's, or its id cannot be a key's. */
  | { readonly kind: 'not_of_account' };

/**
 * Revokes a key for good in the database; repeating it is no error. The caller must also tell the key's lane, even if
 * the key has no row. The audit gets its row in either case. Throws when D1 fails.
 */
export async function revokeApiKey(
  database: Database,
  accountId: string,
  keyId: string,
  actor: Actor,
): Promise<Revocation> {
  if (!isRecordId(accountId) || !isRecordId(keyId)) return { kind: 'not_of_account' };
  const own = eq(apiKeys.id, keyId);
  const [standing] = await database.select().from(apiKeys).where(own);
  if (standing && standing.accountId !== accountId) return { kind: 'not_of_account' };
  const audit = insertAudit(database, actor, 'revoke_api_key', accountId, { keyId });
  if (!standing) {
    await audit;
    return { kind: 'off_record' };
  }
  if (standing.revokedAt !== null) return { kind: 'revoked', apiKey: showApiKey(readKeyRow(standing)) };
  const [, rows] = await database.batch([
    database
      .update(apiKeys)
      .set({ revokedAt: actor.now_ms })
      .where(and(own, isNull(apiKeys.revokedAt))),
    database.select().from(apiKeys).where(own),
    numberChange(database, accountId, actor.now_ms),
    audit,
  ]);
  const [revoked = standing] = rows;
  return { kind: 'revoked', apiKey: showApiKey(readKeyRow(revoked)) };
}

/** The statements that revoke all keys of an account but sessions, for good. */
export function revokeAllKeys(database: Database, accountId: string, actor: Actor) {
  return [
    database.update(apiKeys).set({ revokedAt: actor.now_ms }).where(isInUse(accountId)),
    numberChange(database, accountId, actor.now_ms),
  ] as const;
}

/** The ids of an account's keys that were revoked at one moment. Throws when D1 fails. */
export function listKeysRevokedAt(database: Database, accountId: string, at_ms: number): Promise<string[]> {
  return listKeyIds(database, and(isStanding(accountId), eq(apiKeys.revokedAt, at_ms)));
}

// Written out as in the indexes: SQLite would not use them for bound parameters.
const isStanding = (accountId: string) => and(eq(apiKeys.accountId, accountId), sql`${apiKeys.kind} = 'standing'`);

const isInUse = (accountId: string) => and(isStanding(accountId), isNull(apiKeys.revokedAt));

export interface KeyPage {
  readonly apiKeys: readonly ApiKey[];
  /** The id below which the next page goes on, or `null` on the last one. */
  readonly next: string | null;
}

/**
 * A page of the keys of an account: first all that are not revoked, of which there are at most 50, then those that are,
 * from below `before` on; each the newest first. Throws when D1 fails.
 */
export async function listApiKeys(database: Database, accountId: string, before: string | null): Promise<KeyPage> {
  const [inUse, revoked] = await database.batch([
    database
      .select()
      .from(apiKeys)
      .where(and(isInUse(accountId), before === null ? undefined : sql`false`))
      .orderBy(desc(apiKeys.id)),
    database
      .select()
      .from(apiKeys)
      .where(
        and(isStanding(accountId), isNotNull(apiKeys.revokedAt), before === null ? undefined : lt(apiKeys.id, before)),
      )
      .orderBy(desc(apiKeys.id))
      .limit(REVOKED_PAGE + 1),
  ]);
  const shown = revoked.slice(0, REVOKED_PAGE);
  return {
    apiKeys: [...inUse, ...shown].map((row) => showApiKey(readKeyRow(row))),
    next: revoked.length > shown.length ? (shown.at(-1)?.id ?? null) : null,
  };
}

/** One key of any account, or `undefined`. Throws when D1 fails. */
export async function readApiKey(database: Database, keyId: string): Promise<ApiKey | undefined> {
  const [row] = await database.select().from(apiKeys).where(eq(apiKeys.id, keyId));
  return row && showApiKey(readKeyRow(row));
}

/** The ids of an account's keys that can still be used, all of them, sessions too. Throws when D1 fails. */
export function listUsableKeyIds(database: Database, accountId: string, now_ms: number): Promise<string[]> {
  const isLive = and(eq(apiKeys.kind, 'session'), gt(apiKeys.id, lowestRecordId(now_ms - SESSION_MS)));
  const isUsable = or(eq(apiKeys.kind, 'standing'), isLive);
  return listKeyIds(database, and(eq(apiKeys.accountId, accountId), isUsable, isNull(apiKeys.revokedAt)));
}
