import { laneUnreachable } from '../access/admit.ts';
import { type Outcome, accept } from '../http/answer.ts';
import { endSessions, findOwnSessions } from '../keys/session-key.ts';
import { revokeInLane } from '../lane/tell-lanes.ts';
import { insertAudit } from '../db/audit.ts';
import { commitOrRefuse } from '../db/explain.ts';
import type { Bindings } from '../platform/bindings.ts';
import type { Session } from './session.ts';

/** More ids than an account has live sessions. */
const MAX_ENDED = 20;

/**
 * Ends sessions of the holder's own account, for good; ids of anything else end nothing, and repeating it is no error.
 * Refuses with `service_unavailable` when it is not known whether they ended everywhere: send it again. Throws when D1
 * cannot be read.
 */
export async function endOwnSessions(
  bindings: Bindings,
  { accountId, database, actor }: Session,
  ids: readonly string[],
): Promise<Outcome<null>> {
  // A lane that has no record yet believes whoever revokes its key, so only lanes of own sessions are told.
  const own = await findOwnSessions(database, accountId, ids.slice(0, MAX_ENDED));
  if (own.length === 0) return accept(null);
  const changes = [
    insertAudit(database, actor, 'end_sessions', accountId, { sessionIds: own }),
    ...endSessions(database, accountId, own, actor),
  ] as const;
  const refused = await commitOrRefuse(database, changes, {}, laneUnreachable);
  if (refused) return refused;
  const told = await Promise.all(own.map((id) => revokeInLane(bindings, accountId, id, actor.now_ms)));
  return told.every(Boolean) ? accept(null) : laneUnreachable;
}
