import { type Outcome, accept, refuse } from '../../http/refusal.ts';
import { type Actor, insertAudit } from '../audit.ts';
import { commit } from '../commit.ts';
import type { Database } from '../database.ts';
import type { Keeper } from '../reach-keeper.ts';

/**
 * Accepts the history as it is: after a restore to an earlier moment, rows that the links were computed of are gone. The
 * audit says which links were kept until then, and why they are forgotten. Refuses with `service_unavailable` when D1
 * leaves it open. Throws when the keeper cannot be reached: the same call again is safe.
 */
export async function acceptHistory(
  database: Database,
  keeper: Keeper,
  reason: string,
  actor: Actor,
): Promise<Outcome<null>> {
  const { links } = await keeper.read();
  const outcome = await commit(database, [
    insertAudit(database, actor, 'accept_history', 'history', { because: reason, forgotten: links }),
  ]);
  if (outcome.kind !== 'committed') {
    return refuse('service_unavailable', 'The change was not confirmed. Send it again.', { retryAfterSeconds: 1 });
  }
  await keeper.beginAnew();
  return accept(null);
}
