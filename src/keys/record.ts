import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { findLedger } from '../db/ledgers.ts';
import { accounts, apiKeys } from '../db/schema.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { IpRange } from './ip-allowlist.ts';
import { type Scope, readScopes } from './scope.ts';

/** The limits of one bucket of a key, in place of the defaults. */
export const BucketAllowance = z.object({
  perMinute: z.number().int().min(1).max(1_000_000),
  perDay: z.number().int().min(1).max(100_000_000),
});

/** The buckets of a key that differ from the defaults. */
export const RateLimits = z.object({
  read: BucketAllowance.optional(),
  trade: BucketAllowance.optional(),
  withdraw: BucketAllowance.optional(),
});

export type RateLimits = z.output<typeof RateLimits>;

/** The most ranges that one key may list. */
const MAX_IP_RANGES = 64;

/** The IP addresses that a key may be used from. */
export const IpAllowlist = z.array(IpRange).min(1).max(MAX_IP_RANGES);

/** An API key as the database has it, with the status of its account. Times in milliseconds. */
export interface KeyRecord {
  readonly id: string;
  readonly accountId: string;
  readonly accountStatus: 'active' | 'frozen';
  /** A session is the key of a holder who is signed in to the console. */
  readonly kind: 'standing' | 'session';
  /** Whether the account has a webhook endpoint that is enabled. */
  readonly hasWebhooks: boolean;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly tokenHash: string;
  /** `null` allows every address. */
  readonly ipAllowlist: readonly string[] | null;
  readonly rateLimits: RateLimits;
  readonly createdAt_ms: number;
  readonly expiresAt_ms: number | null;
  readonly revokedAt_ms: number | null;
  /**
   * Rises with every change of the key or of its account's status: of two records of a key the one with the higher
   * number was read later, and with the same number they are the same (`nextRecordNumber`).
   */
  readonly number: number;
}

/** The part of a record that the key's own row has. */
export type KeyDetails = Omit<KeyRecord, 'accountStatus' | 'hasWebhooks' | 'number'>;

const hasWebhooks = sql<number>`EXISTS (
  SELECT 1 FROM webhook_endpoints WHERE webhook_endpoints.account_id = ${accounts.id} AND status = 'enabled')`;

/** Reads a key's record, or `undefined` when there is none. Throws when D1 fails. */
export async function readKeyRecord(bindings: LedgerBindings, keyId: string): Promise<KeyRecord | undefined> {
  const database = findLedger(bindings, keyId);
  const [row] = database
    ? await database
        .select({ key: apiKeys, accountStatus: accounts.status, number: accounts.recordNumber, hasWebhooks })
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .where(eq(apiKeys.id, keyId))
    : [];
  if (!row) return undefined;
  const { key, accountStatus, number } = row;
  return { ...readKeyRow(key), accountStatus, number, hasWebhooks: row.hasWebhooks === 1 };
}

/** Reads the part of a record that is in the key's own row. */
export function readKeyRow(row: typeof apiKeys.$inferSelect): KeyDetails {
  return {
    id: row.id,
    accountId: row.accountId,
    kind: row.kind,
    label: row.label,
    scopes: readScopes(row.scopes),
    tokenHash: row.tokenHash,
    ipAllowlist: row.ipAllowlist === null ? null : IpAllowlist.parse(JSON.parse(row.ipAllowlist)),
    rateLimits: RateLimits.parse(JSON.parse(row.rateLimits)),
    createdAt_ms: row.createdAt,
    expiresAt_ms: row.expiresAt,
    revokedAt_ms: row.revokedAt,
  };
}
