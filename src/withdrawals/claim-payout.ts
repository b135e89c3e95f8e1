import { z } from '@hono/zod-openapi';
import { and, asc, gt, isNotNull, sql } from 'drizzle-orm';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { Id, Timestamp, showTime } from '../http/wire-types.ts';
import { accountFrozen } from '../keys/record.ts';
import { type GuardRefusals, changeUnconfirmed, commitOrRefuse, explain } from '../db/explain.ts';
import { type Actor, insertAudit, nameActor } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { withdrawals } from '../db/schema.ts';
import { withdrawalsSuspended } from './commit-withdrawal.ts';
import { type WithdrawalRow, isProcessing, isRow } from './withdrawal.ts';

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

/** What is read of a withdrawal that somebody has claimed. */
type ClaimRow = Awaited<ReturnType<typeof selectClaims>>[number];

export function showClaim({ accountId, id, claimedBy, claimedAt }: ClaimRow): PayoutClaim {
  return { accountId, withdrawalId: id, claimedBy, claimedAt: showTime(claimedAt) };
}

type Payout = Pick<WithdrawalRow, 'accountId' | 'id'>;

const isClaimed = isNotNull(withdrawals.claimedBy);

function selectClaims(database: Database) {
  // The condition `isClaimed` rules NULL out.
  const claimedBy = sql<string>`${withdrawals.claimedBy}`;
  const claimedAt = sql<number>`${withdrawals.claimedAt}`;
  return database
    .select({ accountId: withdrawals.accountId, id: withdrawals.id, claimedBy, claimedAt })
    .from(withdrawals);
}

/** The claim of a withdrawal, or `undefined`. Throws when D1 fails. */
export async function readClaim(database: Database, row: Payout): Promise<ClaimRow | undefined> {
  const [claim] = await selectClaims(database).where(and(isRow(row), isClaimed));
  return claim;
}

/** At most `count` claims of withdrawals that are PROCESSING, oldest withdrawal first, after the id `behind`. */
export function listClaims(database: Database, behind: string | null, count: number): Promise<ClaimRow[]> {
  const fits = and(isProcessing, behind === null ? undefined : gt(withdrawals.id, behind), isClaimed);
  return selectClaims(database).where(fits).orderBy(asc(withdrawals.id)).limit(count);
}

const claimRefusals: GuardRefusals = {
  account_frozen: accountFrozen,
  withdrawals_suspended: withdrawalsSuspended,
  withdrawal_settled: refuse('invalid_state', 'Only a withdrawal that is PROCESSING can be claimed or given back.'),
};

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
  const change = { claimedBy: nameActor(actor), claimedAt: actor.now_ms };
  const outcome = await commit(database, [
    insertAudit(database, actor, 'claim_payout', row.id),
    database.update(withdrawals).set(change).where(isRow(row)),
  ]);
  if (outcome.kind === 'committed') return accept({ accountId: row.accountId, id: row.id, ...change });
  const standing = await readClaim(database, row);
  if (!standing) return explain(outcome, claimRefusals) ?? changeUnconfirmed;
  return standing.claimedBy === change.claimedBy ? accept(standing) : claimedByAnother(standing);
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
  const release = [
    insertAudit(database, actor, 'release_payout', row.id, { claimedBy: claim.claimedBy }),
    database.update(withdrawals).set({ claimedBy: null, claimedAt: null }).where(isRow(row)),
  ] as const;
  return (await commitOrRefuse(database, release, claimRefusals)) ?? accept(claim);
}
