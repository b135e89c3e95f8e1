import { and, eq, gt } from 'drizzle-orm';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { accounts, allowedRecoveries } from '../db/schema.ts';
import { approvalRefusals, commitOrRefuse } from '../db/explain.ts';

/** For how long an allowed recovery can be used. A trigger holds it. */
const ALLOWED_MS = 72 * 3_600_000;

const noHolder = refuse('invalid_state', 'The account has no holder yet: invite one.');

const unconfirmed = refuseUnconfirmed('It is not known whether the recovery was allowed. Try again.');

/**
 * Lets the holder of an account recover it once in the next 72 hours, by a link that is mailed to them and without a
 * code; returns until when, in milliseconds. The holder is told of the request and of the approval. Refuses with
 * `approval_required` unless two people agree, whoever asks, with `invalid_state` where nobody holds the account, and
 * with `service_unavailable` when the outcome is unknown. Throws when D1 cannot be read.
 */
export async function allowRecovery(
  database: Database,
  accountId: string,
  reason: string,
  actor: Actor,
): Promise<Outcome<number>> {
  const [account] = await database.select({ holder: accounts.holder }).from(accounts).where(eq(accounts.id, accountId));
  if (!account?.holder) return noHolder;
  const expiresAt = actor.now_ms + ALLOWED_MS;
  const changes = [
    insertAudit(database, actor, 'allow_recovery', accountId, { because: reason }),
    database.delete(allowedRecoveries).where(eq(allowedRecoveries.accountId, accountId)),
    database.insert(allowedRecoveries).values({ accountId, expiresAt }),
  ] as const;
  return (await commitOrRefuse(database, changes, approvalRefusals, unconfirmed)) ?? accept(expiresAt);
}

/** Until when an account may be recovered without a code, in milliseconds, or `null`. Throws when D1 fails. */
export async function readAllowedRecovery(
  database: Database,
  accountId: string,
  now_ms: number,
): Promise<number | null> {
  const [row] = await database
    .select({ expiresAt: allowedRecoveries.expiresAt })
    .from(allowedRecoveries)
    .where(and(eq(allowedRecoveries.accountId, accountId), gt(allowedRecoveries.expiresAt, now_ms)));
  return row?.expiresAt ?? null;
}
