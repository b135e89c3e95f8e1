import { type Outcome, accept } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commitOrRefuse } from '../db/explain.ts';
import type { Database } from '../db/database.ts';
import type { Keeper } from './reach-keeper.ts';

/**
 * Accepts the history as it is now, for an operator who restored the database to an earlier time: rows from which the
 * stored links were computed are gone. The audit records the reason and the newest links, then the keeper deletes all
 * links. Refuses with `service_unavailable` when it is unknown whether the audit row was written. Throws when the
 * keeper cannot be reached. Calling it again is safe.
 */
export async function acceptHistory(
  database: Database,
  keeper: Keeper,
  reason: string,
  actor: Actor,
): Promise<Outcome<null>> {
  const { links } = await keeper.read();
  const audit = insertAudit(database, actor, 'accept_history', 'history', { because: reason, forgotten: links });
  const refusal = await commitOrRefuse(database, [audit]);
  if (refusal) return refusal;
  await keeper.beginAnew();
  return accept(null);
}
