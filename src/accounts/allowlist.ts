import { z } from '@hono/zod-openapi';
import { and, desc, eq, lt } from 'drizzle-orm';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { Id, Timestamp } from '../http/wire-types.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { ledgerNumberOf, newRecordId, timestampOfRecord } from '../db/record-id.ts';
import { allowlist } from '../db/schema.ts';
import { approvalRefusals, explain, holdRefusals } from '../db/explain.ts';
import type { Network } from '../money/networks.ts';

/** The most addresses that an account may have approved. A trigger holds it. */
export const MAX_APPROVED = 100;

const tooMany = refuse('invalid_state', `The account has ${MAX_APPROVED} approved addresses. Remove one first.`);

/** An address that an account may withdraw to. */
export const AllowlistEntry = z
  .object({
    id: Id,
    network: z.string().openapi({ example: 'ETH' }),
    address: z
      .string()
      .openapi({ description: 'In its canonical form', example: '0x52908400098527886E0F7030069857D2E4169EE7' }),
    label: z.string().openapi({ example: 'cold wallet' }),
    createdAt: Timestamp,
    usableAt: Timestamp.openapi({ description: 'When the cooling period is over' }),
  })
  .openapi('AllowlistEntry');

export type AllowlistEntry = z.output<typeof AllowlistEntry>;

type AllowlistRow = typeof allowlist.$inferSelect;

/** An approved address as the operator sees it. */
export function showEntry(row: AllowlistRow): AllowlistEntry {
  return {
    id: row.id,
    network: row.network,
    address: row.address,
    label: row.label,
    createdAt: timestampOfRecord(row.id),
    usableAt: new Date(row.usableAt).toISOString(),
  };
}

/** An address that is approved, in its canonical form. */
export interface ApprovedAddress {
  readonly network: Network;
  readonly address: string;
  readonly label: string;
}

/**
 * Approves an address, usable when the cooling period is over. An address that is approved already keeps its entry and
 * its time. Refuses with `account_recovered`, with `invalid_state` when there are too many, and with
 * `approval_required` where two people are needed. Throws when D1 fails.
 */
export async function approveAddress(
  database: Database,
  accountId: string,
  approved: ApprovedAddress,
  cooling_ms: number,
  actor: Actor,
): Promise<Outcome<AllowlistEntry>> {
  const row = {
    accountId,
    id: newRecordId(actor.now_ms, ledgerNumberOf(accountId)),
    ...approved,
    usableAt: actor.now_ms + cooling_ms,
  };
  const outcome = await commit(database, [
    insertAudit(database, actor, 'approve_address', accountId, { ...approved }),
    database.insert(allowlist).values(row),
  ]);
  if (outcome.kind === 'committed') return accept(showEntry(row));
  const refused = explain(outcome, { ...holdRefusals, ...approvalRefusals });
  if (refused) return refused;
  const [standing] = await database
    .select()
    .from(allowlist)
    .where(
      and(
        eq(allowlist.accountId, accountId),
        eq(allowlist.network, approved.network),
        eq(allowlist.address, approved.address),
      ),
    );
  if (!standing && outcome.kind === 'guarded' && outcome.guard === 'too_many_addresses') return tooMany;
  if (!standing) throw new Error(`an address could not be approved: ${outcome.kind}`);
  return accept(showEntry(standing));
}

/** At most `count` approved addresses of an account, newest first, from below the id `before` on. Throws when D1 fails. */
export function listAllowlist(
  database: Database,
  accountId: string,
  before: string | null,
  count: number,
): Promise<AllowlistRow[]> {
  return database
    .select()
    .from(allowlist)
    .where(and(eq(allowlist.accountId, accountId), before === null ? undefined : lt(allowlist.id, before)))
    .orderBy(desc(allowlist.id))
    .limit(count);
}

/** Removes an approval at once. `undefined` when the account has no such entry. Throws when D1 fails. */
export async function removeApproval(
  database: Database,
  accountId: string,
  entryId: string,
  actor: Actor,
): Promise<AllowlistEntry | undefined> {
  const own = and(eq(allowlist.accountId, accountId), eq(allowlist.id, entryId));
  const [standing] = await database.select().from(allowlist).where(own);
  if (!standing) return undefined;
  await database.batch([
    database.delete(allowlist).where(own),
    insertAudit(database, actor, 'remove_approval', accountId, { entryId, label: standing.label }),
  ]);
  return showEntry(standing);
}
