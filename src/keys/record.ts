import ipaddr from 'ipaddr.js';
import { z } from '@hono/zod-openapi';
import { type SQL, eq, sql } from 'drizzle-orm';
import { type Database, findLedger } from '../db/database.ts';
import { accounts, apiKeys } from '../db/schema.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type Scope, readScopes } from './rights.ts';
import { equalDigests } from '../platform/digest.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import type { GuardRefusals } from '../db/explain.ts';

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [written = '', prefix] = text.split('/');
  const address = ipaddr.process(written);
  const bits = address.toByteArray().length * 8;
  if (prefix === undefined) return [address, bits];
  // An IPv4 range written as IPv6 counts its prefix from the longer address.
  return [address, Number(prefix) - (written.includes(':') && address.kind() === 'ipv4' ? 96 : 0)];
}

/** An IPv4 or IPv6 address, or a range of them in CIDR notation (RFC 4632), in full and without a zone. */
export const IpRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: 'is neither an IP address nor a CIDR range' })
  .refine((text) => parseRange(text)[1] >= 0, 'is wider than the IPv4 addresses it is written for')
  .openapi({ type: 'string', example: '192.0.2.0/24' });

/** Whether an address is in one of the ranges. An IPv4 address written as IPv6 is the same address. */
export function isIpListed(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some((range) => {
    const [network, bits] = parseRange(range);
    return network.kind() === address.kind() && address.match(network, bits);
  });
}

/** The limits of one bucket of a key, in place of the defaults. */
export const BucketAllowance = z.object({
  perMinute: z.number().int().min(1).max(1_000_000),
  perDay: z.number().int().min(1).max(100_000_000),
});

export const Limits = z.object({ read: BucketAllowance, trade: BucketAllowance, withdraw: BucketAllowance });

/** The buckets of a key that differ from the defaults. */
export const RateLimits = Limits.partial();

export type RateLimits = z.output<typeof RateLimits>;

const MAX_IP_RANGES = 64;

export const IpAllowlist = z.array(IpRange).min(1).max(MAX_IP_RANGES);

type KeyRow = typeof apiKeys.$inferSelect;

/** An API key as its row has it. A session is the key of a holder who is signed in. Times in milliseconds. */
export interface KeyDetails extends Readonly<Omit<KeyRow, 'scopes' | 'ipAllowlist' | 'rateLimits'>> {
  readonly scopes: readonly Scope[];
  /** `null` allows every address. */
  readonly ipAllowlist: readonly string[] | null;
  readonly rateLimits: RateLimits;
}

/** A key, and what its lane knows of its account. */
export interface KeyRecord extends KeyDetails {
  readonly accountStatus: 'active' | 'frozen';
  /** Whether the account has a webhook endpoint that is enabled. */
  readonly hasWebhooks: boolean;
  /** Whether a stream of the account may be open. */
  readonly hasStream: boolean;
  /**
   * Rises with every change of the key or of its account's status: of two records of a key the one with the higher
   * number was read later, and with the same number they are the same (`nextRecordNumber`).
   */
  readonly number: number;
}

const hasWebhooks = sql<number>`EXISTS (
  SELECT 1 FROM webhook_endpoints WHERE webhook_endpoints.account_id = ${accounts.id} AND status = 'enabled')`;

const hasStream = sql<number>`EXISTS (SELECT 1 FROM account_streams WHERE account_streams.account_id = ${accounts.id})`;

/** Reads a key's record, or `undefined` when there is none. Throws when D1 fails. */
export async function readKeyRecord(bindings: LedgerBindings, keyId: string): Promise<KeyRecord | undefined> {
  const database = findLedger(bindings, keyId);
  const [row] = database
    ? await database
        .select({ key: apiKeys, accountStatus: accounts.status, number: accounts.recordNumber, hasWebhooks, hasStream })
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .where(eq(apiKeys.id, keyId))
    : [];
  if (!row) return undefined;
  const { key, accountStatus, number } = row;
  const told = { hasWebhooks: row.hasWebhooks === 1, hasStream: row.hasStream === 1 };
  return { ...readKeyRow(key), accountStatus, number, ...told };
}

/** Reads the part of a record that is in the key's own row. */
export function readKeyRow(row: KeyRow): KeyDetails {
  return {
    ...row,
    scopes: readScopes(row.scopes),
    ipAllowlist: row.ipAllowlist === null ? null : IpAllowlist.parse(JSON.parse(row.ipAllowlist)),
    rateLimits: RateLimits.parse(JSON.parse(row.rateLimits)),
  };
}

/** The ids of the keys that a condition fits. Throws when D1 fails. */
export async function listKeyIds(database: Database, fits: SQL | undefined): Promise<string[]> {
  const rows = await database.select({ id: apiKeys.id }).from(apiKeys).where(fits);
  return rows.map(({ id }) => id);
}

/** The key that a request presents, and what it wants to do. */
export interface Admission {
  readonly keyId: string;
  readonly tokenHash: string;
  /** The scope that the operation needs; `null` for public operations, which take any key. */
  readonly scope: Scope | null;
  readonly ip: string;
}

/**
 * Whether a key whose tag is right may do what it asks for, in the order of the error table: the key itself, its
 * expiry, its scope, and the address it is used from. A frozen account is admitted, since it may read and get its
 * replays; `decideEffect` refuses new effects.
 */
export function decideAdmission<Key extends KeyDetails>(
  record: Key | undefined,
  admission: Admission,
  now_ms: number,
): Outcome<Key> {
  if (!record || record.revokedAt !== null || !equalDigests(record.tokenHash, admission.tokenHash)) {
    return keyRevoked;
  }
  if (record.expiresAt !== null && record.expiresAt <= now_ms) {
    return refuseExpired(record.expiresAt);
  }
  if (admission.scope !== null && !record.scopes.includes(admission.scope)) return refuseScope(admission.scope);
  if (record.ipAllowlist !== null && !isIpListed(admission.ip, record.ipAllowlist)) {
    return refuse('ip_not_allowed', `The API key may not be used from ${admission.ip}.`);
  }
  return accept(record);
}

/** Whether a key that was admitted may have a new effect: not while its account is frozen. */
export function decideEffect(record: KeyRecord): Outcome<KeyRecord> {
  return record.accountStatus === 'frozen' ? accountFrozen : accept(record);
}

/** The refusal of a key that is unknown or was revoked, in its lane or in the batch. */
export const keyRevoked = refuse('invalid_api_key', 'The API key is unknown or was revoked.');

/** The refusal of a key that has expired, in its lane or in the batch. */
export function refuseExpired(expiresAt_ms: number) {
  return refuse('api_key_expired', `The API key expired at ${new Date(expiresAt_ms).toISOString()}.`);
}

/** The refusal of what a frozen account may not do, in its lane or in the batch. */
export const accountFrozen = refuse(
  'account_frozen',
  'The account is frozen. It can be read; orders and withdrawals are refused.',
);

/** The refusal of a key that lacks a scope, at the edge or in its lane. */
export function refuseScope(scope: Scope) {
  return refuse('insufficient_scope', `This operation needs a key with the scope "${scope}".`);
}

/** For a record that names a key, which is revoked, expired or another account's by now: the same as from the key's lane. */
export const keyRefusals = {
  key_revoked: keyRevoked,
  key_expired: (figure: bigint) => refuseExpired(Number(figure)),
} satisfies GuardRefusals;
