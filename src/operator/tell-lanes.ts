import type { RequestContext } from '../http/context.ts';
import { describeError, logFault } from '../platform/log.ts';
import { laneOf } from '../lane/reach-lane.ts';
import { listStandingKeyIds } from '../keys/api-key.ts';
import { ledgerOf } from '../ledger/ledgers.ts';
import { raiseRecordNumber } from '../ledger/record-number.ts';
import type { RevokeReply } from '../lane/held-record.ts';

/**
 * How often a lane is told of a change: once, and again if it has a higher number because the database was restored.
 */
const MAX_TELLS = 3;

/** Revokes a key in its lane, for good. `undefined` when the lane could not be told, so that the key may still work. */
export async function revokeInLane(
  c: RequestContext,
  accountId: string,
  keyId: string,
  now_ms: number,
): Promise<RevokeReply | undefined> {
  try {
    return await laneOf(c.env, keyId).revoke({ accountId, now_ms });
  } catch (error) {
    logFault('lane_not_told', { keyId, error: describeError(error) });
    return undefined;
  }
}

/**
 * Tells the lanes of an account's keys to reload their records. Returns whether all did. If not, the change takes
 * effect later.
 */
export async function tellLanes(c: RequestContext, accountId: string): Promise<boolean> {
  const ids = await listStandingKeyIds(ledgerOf(c.env, accountId), accountId);
  const told = await Promise.all(ids.map((id) => tellLane(c, accountId, id)));
  return told.every(Boolean);
}

async function tellLane(c: RequestContext, accountId: string, keyId: string): Promise<boolean> {
  try {
    for (let tell = 1; tell <= MAX_TELLS; tell += 1) {
      const held = await laneOf(c.env, keyId).reloadRecord(keyId);
      if (held === null) return true;
      await raiseRecordNumber(ledgerOf(c.env, accountId), accountId, held);
    }
    logFault('lane_not_told', { keyId, error: 'it holds a newer record' });
  } catch (error) {
    logFault('lane_not_told', { keyId, error: describeError(error) });
  }
  return false;
}
