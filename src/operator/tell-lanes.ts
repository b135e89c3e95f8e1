import type { RequestContext } from '../http/context.ts';
import { describeError, logFault } from '../http/log.ts';
import { laneOf } from '../keys/admit.ts';
import { listApiKeys } from '../keys/api-key.ts';
import { openDatabase } from '../ledger/database.ts';

/** Lets the lane of a key read the key's record anew. Whether it did; where it did not, the change holds only later. */
export async function tellLane(c: RequestContext, keyId: string): Promise<boolean> {
  try {
    await laneOf(c, keyId).reloadRecord(keyId);
    return true;
  } catch (error) {
    logFault('lane_not_told', { keyId, error: describeError(error) });
    return false;
  }
}

/** The same for every key of an account that still stands. */
export async function tellLanes(c: RequestContext, accountId: string): Promise<boolean> {
  const keys = await listApiKeys(openDatabase(c.env.DB), accountId);
  const told = await Promise.all(keys.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => tellLane(c, id)));
  return told.every(Boolean);
}
