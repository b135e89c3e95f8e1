import { z } from '@hono/zod-openapi';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { Id, Timestamp } from '../http/wire-types.ts';
import { accountFrozen } from '../keys/record.ts';
import { type GuardRefusals, explain } from '../db/explain.ts';
import { type Actor, insertAudit, nameActor } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { payoutClaims, withdrawals } from '../db/schema.ts';
import { withdrawalsSuspended } from './commit-withdrawal.ts';
import type { WithdrawalRow } from './withdrawal.ts';

export const PayoutClaim = z
  .object({
    accountId: Id,
    withdrawalId: Id,
    claimedBy: z.string().openapi({
      description: 'The e-mail of a person, or the name of a token',
      example: 'ada@exchange.example',
    }),
    claimedAt: Timestamp,
  })
  .openapi('PayoutClaim');

export type PayoutClaim = z.output<typeof PayoutClaim>;

type ClaimRow = typeof payoutClaims.$inferSelect;

export function showClaim({ claimedAt, ...row }: ClaimRow): PayoutClaim {
  return {
    accountId: row.accountId,
    withdrawalId: row.withdrawalId,
    claimedBy: row.claimedBy,
    claimedAt: new Date(claimedAt).toISOString(),
  };
}

const isOf = ({ accountId, id }: Pick<WithdrawalRow, 'accountId' | 'id'>) =>
  and(eq(payoutClaims.accountId, accountId), eq(payoutClaims.withdrawalId, id));

/** The claim of a withdrawal, or `undefined`. Throws when D1 fails. */
export async function readClaim(
  database: Database,
  row: Pick<WithdrawalRow, 'accountId' | 'id'>,
): Promise<ClaimRow | undefined> {
  const [claim] = await database.select().from(payoutClaims).where(isOf(row));
  return claim;
}

/** At most `count` claims of withdrawals that are PROCESSING, oldest withdrawal first, after the id `behind`. */
export async function listClaims(
  database: Database,
  behind: string | null,
  count: number,
): Promise<(ClaimRow & { readonly id: string })[]> {
  const rows = await database
    .select({ id: withdrawals.id, claim: payoutClaims })
    .from(withdrawals)
    .innerJoin(
      payoutClaims,
      and(eq(payoutClaims.accountId, withdrawals.accountId), eq(payoutClaims.withdrawalId, withdrawals.id)),
    )
    .where(
      and(
        // Word for word the condition of the index of open withdrawals.
        sql`${withdrawals.status} IN ('PENDING', 'PROCESSING')`,
        eq(withdrawals.status, 'PROCESSING'),
        behind === null ? undefined : gt(withdrawals.id, behind),
      ),
    )
    .orderBy(asc(withdrawals.id))
    .limit(count);
  return rows.map(({ id, claim }) => ({ id, ...claim }));
}

const claimRefusals: GuardRefusals = {
  account_frozen: accountFrozen,
  withdrawals_suspended: withdrawalsSuspended,
  withdrawal_settled: refuse('invalid_state', 'Only a withdrawal that is PROCESSING can be claimed or given back.'),
};

const unconfirmed = refuseUnconfirmed('The change was not confirmed. Send it again.');

function explainClaim(outcome: CommitOutcome) {
  return explain(outcome, claimRefusals) ?? unconfirmed;
}

/** Refuses what somebody else has claimed. */
export function claimedByAnother(claim: Pick<ClaimRow, 'claimedBy'>) {
  return refuse('invalid_state', `The withdrawal is claimed by ${claim.claimedBy}.`);
}

/**
 * Claims a withdrawal: from now on nobody else does, so that it is paid once. Claiming one's own again is no error.
 * Refuses with `invalid_state` when it is claimed by another or not PROCESSING, and while it must not be paid with
 * `account_frozen` and `withdrawals_suspended`. Throws when D1 cannot be read.
 */
export async function claimPayout(database: Database, row: WithdrawalRow, actor: Actor): Promise<Outcome<ClaimRow>> {
  const claim = {
    accountId: row.accountId,
    withdrawalId: row.id,
    claimedBy: nameActor(actor),
    claimedAt: actor.now_ms,
  };
  const outcome = await commit(database, [
    insertAudit(database, actor, 'claim_payout', row.id),
    database.insert(payoutClaims).values(claim),
  ]);
  if (outcome.kind === 'committed') return accept(claim);
  const standing = await readClaim(database, row);
  if (!standing) return explainClaim(outcome);
  return standing.claimedBy === claim.claimedBy ? accept(standing) : claimedByAnother(standing);
}

/**
 * Gives a claim back, so that another can take it. Only the one who has it does, or an admin. Refuses with
 * `invalid_state`, and `service_unavailable` when the outcome is unknown. Throws when D1 cannot be read.
 */
export async function releaseClaim(database: Database, row: WithdrawalRow, actor: Actor): Promise<Outcome<ClaimRow>> {
  const claim = await readClaim(database, row);
  if (!claim) return refuse('invalid_state', 'The withdrawal is not claimed.');
  const isAdmin = actor.role === 'admin' || actor.role === 'operator';
  if (claim.claimedBy !== nameActor(actor) && !isAdmin) return claimedByAnother(claim);
  const outcome = await commit(database, [
    insertAudit(database, actor, 'release_payout', row.id, { claimedBy: claim.claimedBy }),
    database.delete(payoutClaims).where(isOf(row)),
  ]);
  return outcome.kind === 'committed' ? accept(claim) : explainClaim(outcome);
}
