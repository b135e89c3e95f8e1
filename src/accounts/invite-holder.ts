import { z } from '@hono/zod-openapi';
import { and, eq, gt, sql } from 'drizzle-orm';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { Id, Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { approvalRefusals, commitOrRefuse, type GuardRefusals } from '../db/explain.ts';
import { invitations } from '../db/schema.ts';
import { digest } from '../platform/digest.ts';

/** For how long an invitation can be used. A trigger holds it. */
const INVITED_MS = 72 * 3_600_000;

/** The body with which a holder is invited. */
export const InviteHolder = z
  .strictObject({ email: z.email().max(254).toLowerCase().openapi({ example: 'ada@customers.example' }) })
  .openapi('InviteHolder');

/** An invitation that can be used. */
export const Invitation = z
  .object({ accountId: Id, email: z.string().openapi({ example: 'ada@customers.example' }), expiresAt: Timestamp })
  .openapi('Invitation');

export type Invitation = z.output<typeof Invitation>;

const invitationRefusals: GuardRefusals = {
  ...approvalRefusals,
  account_has_holder: refuse('invalid_state', 'The account has a holder.'),
  account_frozen: refuse('invalid_state', 'The account is frozen. Unfreeze it first.'),
};

const unconfirmed = refuseUnconfirmed('It is not known whether the holder was invited. Send it again.');

/** What is stored of an e-mail address, which is in lower case. */
export function digestAddress(email: string): Promise<string> {
  return digest(`e-mail ${email}`);
}

/**
 * Invites whoever reads the mails to an address to become the holder of an account that has none, for 72 hours, in
 * place of an earlier invitation; the same one that can still be used is returned as it is. Refuses with
 * `invalid_state` where the account has a holder or is frozen, with `approval_required` where two people are needed,
 * and with `service_unavailable` when the outcome is unknown. Throws when D1 cannot be read.
 */
export async function inviteHolder(
  database: Database,
  accountId: string,
  email: string,
  actor: Actor,
): Promise<Outcome<Invitation>> {
  const address = await digestAddress(email);
  const isUsable = sql`(by_two = 1 OR NOT EXISTS (SELECT 1 FROM used_accounts WHERE id = ${accountId}))`;
  const same = and(eq(invitations.address, address), gt(invitations.expiresAt, actor.now_ms), isUsable);
  const [present] = await database
    .select({ expiresAt: invitations.expiresAt })
    .from(invitations)
    .where(and(eq(invitations.accountId, accountId), same));
  // An approval goes on: what was proposed is decided with it.
  if (present && !actor.proposal) return accept(showInvitation(accountId, email, present.expiresAt));
  const expiresAt = actor.now_ms + INVITED_MS;
  const byTwo = actor.proposal ? 1 : 0;
  const changes = [
    insertAudit(database, actor, 'invite_holder', accountId, { email }),
    database.delete(invitations).where(eq(invitations.accountId, accountId)),
    database.insert(invitations).values({ accountId, address, expiresAt, byTwo }),
  ] as const;
  const refused = await commitOrRefuse(database, changes, invitationRefusals, unconfirmed);
  return refused ?? accept(showInvitation(accountId, email, expiresAt));
}

function showInvitation(accountId: string, email: string, expiresAt_ms: number): Invitation {
  return { accountId, email, expiresAt: new Date(expiresAt_ms).toISOString() };
}
