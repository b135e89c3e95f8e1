import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { laneOf } from './reach-lane.ts';

/**
 * When each of some keys was last used, to the second, in milliseconds, by their ids; a key that never was, or whose lane
 * does not answer, is left out. One call for each key.
 */
export async function readLastUses(
  bindings: Bindings,
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const uses = await Promise.all(keyIds.map((id) => readLastUse(bindings, id)));
  return new Map(uses.flatMap((time_ms, at) => (time_ms === null ? [] : [[keyIds[at] ?? '', time_ms] as const])));
}

async function readLastUse(bindings: Bindings, keyId: string): Promise<number | null> {
  try {
    return await laneOf(bindings, keyId).lastUse();
  } catch (error) {
    logFault('lane_not_read', { keyId, error: describeError(error) });
    return null;
  }
}
