import { eq } from 'drizzle-orm';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { violations } from '../db/schema.ts';
import { approvalRefusals, explain } from '../db/explain.ts';

export const noViolation = refuse('not_found', 'There is no violation of that id.');

/**
 * Clears a violation: an operator has investigated it and gives a reason why the exchange may continue. The halts stay
 * until the operator lifts them in the settings. A check that finds the invariant broken again halts again. Refuses
 * with `not_found`, with `invalid_state` when it is cleared already, and with `service_unavailable` when the outcome is
 * unknown. Throws when D1 cannot be read.
 */
export async function clearViolation(
  database: Database,
  id: string,
  reason: string,
  actor: Actor,
): Promise<Outcome<{ readonly id: string }>> {
  const [row] = await database
    .select({ invariant: violations.invariant })
    .from(violations)
    .where(eq(violations.id, id));
  if (!row) return noViolation;
  const outcome = await commit(database, [
    insertAudit(database, actor, 'clear_violation', id, { invariant: row.invariant, because: reason }),
    database.update(violations).set({ clearedAt: actor.now_ms, reason }).where(eq(violations.id, id)),
  ]);
  if (outcome.kind === 'committed') return accept({ id });
  const refusal = explain(outcome, approvalRefusals);
  if (refusal) return refusal;
  if (outcome.kind === 'guarded') return refuse('invalid_state', 'The violation is cleared already.');
  return refuseUnconfirmed('The change was not confirmed. Send it again.');
}
