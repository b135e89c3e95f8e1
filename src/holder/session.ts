import { type Outcome, type Refusal, accept, refuse } from '../http/answer.ts';
import { tokenSettings } from '../access/authenticate.ts';
import { accountFrozen, decideAdmission, keyRevoked, type KeyRecord, readKeyRecord } from '../keys/record.ts';
import type { Scope } from '../keys/rights.ts';
import { verifyToken } from '../keys/token.ts';
import { countSession } from '../lane/buckets.ts';
import type { Actor } from '../db/audit.ts';
import { type Database, ledgerOf } from '../db/database.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import type { Bindings } from '../platform/bindings.ts';

/**
 * What a session may do. `look`: its holder came by an e-mail link, and may see everything and stop the account. `act`:
 * they used a passkey.
 */
export type SessionLevel = 'look' | 'act';

/** The scopes of a session of each level. The lanes hold the public API to them. */
export const scopesOf: Readonly<Record<SessionLevel, readonly Scope[]>> = {
  look: ['read'],
  act: ['read', 'trade', 'withdraw', 'webhooks'],
};

/** A session that was admitted. */
export interface Session {
  readonly accountId: string;
  /** The number of the ledger that the account is in, and its database. */
  readonly ledger: number;
  readonly database: Database;
  readonly record: KeyRecord;
  readonly level: SessionLevel;
  /** The holder, as the audit names who acts. */
  readonly actor: Actor;
}

const passkeyNeeded = refuse('insufficient_scope', 'Sign in with a passkey to do this.');

/**
 * Admits a call of a signed-in holder: reads the session's key from the database, where a revocation holds at once, and
 * counts the call in the account's read bucket. The refusals are those of `decideAdmission`, `rate_limited`, and
 * `insufficient_scope` for a session that may only look. Throws when D1 fails.
 */
export async function takeSession(
  bindings: Bindings,
  token: string,
  level: SessionLevel,
  now_ms: number,
): Promise<Outcome<Session>> {
  const presented = await verifyToken(token, tokenSettings.prefix, tokenSettings.secrets);
  if (!presented.ok) return presented;
  const { keyId, tokenHash } = presented.value;
  const record = await readKeyRecord(bindings, keyId);
  const admitted = decideAdmission(record, { keyId, tokenHash, scope: 'read', ip: '' }, now_ms);
  if (!admitted.ok) return admitted;
  // The public API has no way here: a key that a program holds is no session.
  if (admitted.value.kind !== 'session') return keyRevoked;
  const { outcome: counted } = await countSession(bindings, admitted.value, 'read');
  if (!counted.ok) return counted;
  const holds: SessionLevel = admitted.value.scopes.includes('withdraw') ? 'act' : 'look';
  if (level === 'act' && holds === 'look') return passkeyNeeded;
  const { accountId } = admitted.value;
  return accept({
    accountId,
    ledger: ledgerNumberOf(accountId),
    database: ledgerOf(bindings, accountId),
    record: admitted.value,
    level: holds,
    actor: { role: 'holder', now_ms },
  });
}

/** Refuses what gives rights to a frozen account; what takes them away is always allowed. */
export function refuseFrozen({ record }: Session): Refusal | undefined {
  return record.accountStatus === 'frozen' ? accountFrozen : undefined;
}
