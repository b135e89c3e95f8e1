import { eq } from 'drizzle-orm';
import { commit } from '../commit.ts';
import type { Database } from '../database.ts';
import { movements, refusedMovements } from '../schema.ts';

/** Whether a ledger has received a movement, or refused it for good, or neither. */
export type Arrival = 'arrived' | 'refused' | 'absent';

/** What a ledger knows of a movement that comes to it. Throws when D1 fails. */
export async function readArrival(database: Database, id: string): Promise<Arrival> {
  const [halves, refusals] = await database.batch([
    database.select({ id: movements.id }).from(movements).where(eq(movements.id, id)),
    database.select({ id: refusedMovements.id }).from(refusedMovements).where(eq(refusedMovements.id, id)),
  ]);
  if (halves.length > 0) return 'arrived';
  return refusals.length > 0 ? 'refused' : 'absent';
}

/**
 * Has a ledger refuse a movement for good, unless it has arrived: a statement that is still on its way will find it
 * refused. Only then may the money go back. Returns which of the two it is; `absent` when D1 did not say. Throws when D1
 * fails after the write.
 */
export async function refuseMovement(database: Database, id: string): Promise<Arrival> {
  const outcome = await commit(database, [database.insert(refusedMovements).values({ id })]);
  return outcome.kind === 'committed' ? 'refused' : readArrival(database, id);
}
