import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault, tryOrLog } from '../platform/log.ts';
import { showTime } from '../http/wire-types.ts';
import { type ApiKey, type UsedApiKey, listUsableKeyIds } from '../keys/api-key.ts';
import { type Database, findLedger } from '../db/database.ts';
import { raiseRecordNumber } from '../db/record-number.ts';
import { type RevokeReply, laneOf } from './key-lane.ts';

/**
 * How often a lane is told of a change: once, and again if it has a higher number because the database was restored.
 */
const MAX_TELLS = 3;

/** Revokes a key in its lane, for good. `undefined` when the lane could not be told, so that the key may still work. */
export async function revokeInLane(
  bindings: Bindings,
  accountId: string,
  keyId: string,
  now_ms: number,
): Promise<RevokeReply | undefined> {
  return tryOrLog('lane_not_told', { keyId }, undefined, () => laneOf(bindings, keyId).revoke({ accountId, now_ms }));
}

/**
 * Tells the lanes of an account's keys to reload their records. Returns whether all did. If not, the change takes
 * effect later.
 */
export async function tellLanes(bindings: Bindings, accountId: string, now_ms: number): Promise<boolean> {
  const database = findLedger(bindings, accountId);
  if (!database) return true;
  const ids = await listUsableKeyIds(database, accountId, now_ms);
  const told = await Promise.all(ids.map((id) => tellLane(bindings, database, accountId, id)));
  return told.every(Boolean);
}

async function tellLane(bindings: Bindings, database: Database, accountId: string, keyId: string): Promise<boolean> {
  try {
    for (let tell = 1; tell <= MAX_TELLS; tell += 1) {
      const held = await laneOf(bindings, keyId).reloadRecord(keyId);
      if (held === null) return true;
      await raiseRecordNumber(database, accountId, held);
    }
    logFault('lane_not_told', { keyId, error: 'it holds a newer record' });
  } catch (error) {
    logFault('lane_not_told', { keyId, error: describeError(error) });
  }
  return false;
}

/** Keys with their last uses. One call for each that is not revoked; of a lane that does not answer it has none. */
export async function addLastUses(bindings: Bindings, keys: readonly ApiKey[]): Promise<UsedApiKey[]> {
  const readLastUse = ({ id: keyId, revokedAt }: ApiKey) =>
    revokedAt === null ? tryOrLog('lane_not_read', { keyId }, null, () => laneOf(bindings, keyId).lastUse()) : null;
  return Promise.all(keys.map(async (key) => ({ ...key, lastUsedAt: showTime(await readLastUse(key)) })));
}
