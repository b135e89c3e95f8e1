import { z } from '@hono/zod-openapi';
import { and, desc, eq, gt, lt, lte } from 'drizzle-orm';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { Id, Timestamp, showTime } from '../http/wire-types.ts';
import { type Actor, insertAudit, nameActor } from '../db/audit.ts';
import type { Database } from '../db/database.ts';
import { newRecordId } from '../db/record-id.ts';
import { proposals } from '../db/schema/staff.ts';
import { type GuardRefusals, approvalRefusals, commitOrRefuse } from '../db/explain.ts';
import { digestInHex } from '../platform/digest.ts';
import type { Duty } from './roles.ts';

/** How long a proposal can be decided. The trigger `proposals_begin_open` holds it. */
const LIFETIME_MS = 24 * 3_600_000;

const statuses = ['OPEN', 'APPROVED', 'DECLINED', 'EXPIRED'] as const;

const Person = z.string().openapi({
  description: 'The e-mail of a person, or the name of a token',
  example: 'ada@exchange.example',
});

/** A change that waits for a second person, or did. */
export const Proposal = z
  .object({
    id: Id,
    status: z.enum(statuses),
    method: z.string().openapi({ example: 'PATCH' }),
    path: z.string().openapi({ example: '/operator/v1/settings' }),
    body: z.record(z.string(), z.unknown()).openapi({
      description: 'The body of the request, as it was sent',
      example: { tradingHalted: false },
    }),
    digest: z.string().openapi({
      description: 'The SHA-256 of method, path and body, in hex: an approval names it',
      example: '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
    }),
    proposedBy: Person,
    proposedAt: Timestamp,
    expiresAt: Timestamp,
    decidedBy: Person.nullable().openapi({ description: 'Who approved or declined it', example: null }),
    decidedAt: Timestamp.nullable().openapi({ example: null }),
    reason: z.string().nullable().openapi({ description: 'Why it was declined', example: null }),
  })
  .openapi('Proposal');

export type Proposal = z.output<typeof Proposal>;

export type ProposalRow = typeof proposals.$inferSelect;

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** The digest of exactly this request, in hex. */
export function digestRequest({ method, path, body }: SentRequest): Promise<string> {
  return digestInHex(JSON.stringify([method, path, body]));
}

const Body = z.record(z.string(), z.unknown());

/** Shows a proposal. One that nobody decided in time has expired. */
export function showProposal(row: ProposalRow, now_ms: number): Proposal {
  const { duty: _duty, ...shown } = row;
  return {
    ...shown,
    status: isOpen(row, now_ms) || row.status !== 'OPEN' ? row.status : 'EXPIRED',
    body: row.body === '' ? {} : Body.parse(JSON.parse(row.body)),
    proposedAt: showTime(row.proposedAt),
    expiresAt: showTime(row.expiresAt),
    decidedAt: showTime(row.decidedAt),
  };
}

/** Whether a proposal can still be decided. */
export function isOpen({ status, expiresAt }: ProposalRow, now_ms: number): boolean {
  return status === 'OPEN' && now_ms < expiresAt;
}

const unconfirmed = refuseUnconfirmed('The proposal was not confirmed. Send the request again.');

const proposalRefusals: GuardRefusals = {
  too_many_proposals: refuse(
    'approval_required',
    'Two people must agree on this, and 20 proposals of yours are open already. Have some of them decided first.',
  ),
  recovery_proposed: refuse(
    'invalid_state',
    'A recovery of this account is proposed already. Approve or decline that one.',
  ),
};

/**
 * Makes a proposal of a request, in the ledger of this number; the same request that is open already is returned as it
 * is. Refuses with `approval_required` when the same person has too many open, with `invalid_state` when another
 * recovery of the account is, and with `service_unavailable` when the outcome is unknown. Throws when D1 cannot be
 * read.
 */
export async function propose(
  database: Database,
  ledger: number,
  request: SentRequest,
  duty: Duty,
  actor: Actor,
): Promise<Outcome<ProposalRow>> {
  const { now_ms } = actor;
  const digest = await digestRequest(request);
  const isSame = and(eq(proposals.digest, digest), eq(proposals.status, 'OPEN'), gt(proposals.expiresAt, now_ms));
  const [open] = await database.select().from(proposals).where(isSame);
  if (open) return accept(open);
  const id = newRecordId(now_ms, ledger);
  const row: ProposalRow = {
    ...request,
    id,
    digest,
    duty,
    proposedBy: nameActor(actor),
    proposedAt: now_ms,
    expiresAt: now_ms + LIFETIME_MS,
    status: 'OPEN',
    decidedBy: null,
    decidedAt: null,
    reason: null,
  };
  const { method, path } = request;
  // The account whose recovery it proposes.
  const recovered = duty === 'recover_accounts' ? path.split('/').at(-2) : undefined;
  const changes = [
    insertAudit(database, actor, 'propose', id, { method, path, digest }),
    database
      .update(proposals)
      .set({ status: 'EXPIRED', decidedAt: now_ms })
      .where(and(eq(proposals.status, 'OPEN'), lte(proposals.expiresAt, now_ms))),
    database.insert(proposals).values(row),
    // The row of a proposal names no account; this one does, and so the holder is told.
    ...(recovered === undefined ? [] : [insertAudit(database, actor, 'ask_recovery', recovered, { proposal: id })]),
  ] as const;
  const refused = await commitOrRefuse(database, changes, proposalRefusals, unconfirmed);
  if (!refused) return accept(row);
  // The same request at the same moment, or an answer that was lost.
  const [landed] = await database.select().from(proposals).where(isSame);
  return landed ? accept(landed) : refused;
}

/** One proposal, or `undefined`. Throws when D1 fails. */
export async function readProposal(database: Database, id: string): Promise<ProposalRow | undefined> {
  const [row] = await database.select().from(proposals).where(eq(proposals.id, id));
  return row;
}

/** At most `limit` proposals older than the id `behind`, newest first; those in one state, or all. Throws when D1 fails. */
export function listProposals(
  database: Database,
  status: Proposal['status'] | undefined,
  now_ms: number,
  behind: string | null,
  limit: number,
): Promise<ProposalRow[]> {
  const fits = and(
    status && eq(proposals.status, status),
    status === 'OPEN' ? gt(proposals.expiresAt, now_ms) : undefined,
    behind === null ? undefined : lt(proposals.id, behind),
  );
  return database.select().from(proposals).where(fits).orderBy(desc(proposals.id)).limit(limit);
}

const decided = refuse('invalid_state', 'The proposal is decided, or has expired.');

/** Declines a proposal, one's own too. Refuses with `invalid_state` when it is not open. Throws when D1 cannot be read. */
export async function decline(
  database: Database,
  row: ProposalRow,
  reason: string,
  actor: Actor,
): Promise<Outcome<ProposalRow>> {
  if (!isOpen(row, actor.now_ms)) return decided;
  const end = { status: 'DECLINED', decidedBy: nameActor(actor), decidedAt: actor.now_ms, reason } as const;
  const changes = [
    insertAudit(database, actor, 'decline_proposal', row.id, { because: reason }),
    database.update(proposals).set(end).where(eq(proposals.id, row.id)),
  ] as const;
  const refused = await commitOrRefuse(database, changes, approvalRefusals, unconfirmed);
  return refused ?? accept((await readProposal(database, row.id)) ?? row);
}

/**
 * Refuses to approve a proposal that is not open, that the same person made, or that is not the one which the approver
 * saw; `undefined` when it may be approved. The database holds the first two, and the last against the request itself.
 */
export function refuseApproval(row: ProposalRow, seenDigest: string, actor: Actor) {
  if (actor.email === undefined) return refuse('insufficient_role', 'A token may propose, and never approves.');
  if (!isOpen(row, actor.now_ms)) return decided;
  if (row.proposedBy === actor.email) return refuse('invalid_state', 'Nobody approves their own proposal.');
  if (row.digest !== seenDigest) return refuse('invalid_state', 'The digest is not the one of this proposal.');
  return undefined;
}
