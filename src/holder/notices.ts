import { and, asc, eq, gt, inArray, isNotNull, lte, max } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { accounts, audit } from '../db/schema.ts';

/** The changes of which a holder is told, by whomever they were made. The console tells of its own at once. */
const toldActions = [
  'change_account',
  'ask_recovery',
  'allow_recovery',
  'create_api_key',
  'revoke_api_key',
  'confirm_totp',
  'remove_totp',
  'approve_address',
  'remove_approval',
  'disable_endpoint',
];

/** How many rows of the audit one call looks at. */
const SPAN = 1_000;

/** A change that the holder of an account is to be told of. */
export interface Notice {
  readonly accountId: string;
  readonly action: string;
  readonly ts_ms: number;
}

/** Some notices, and up to which row of the audit they are all. */
export interface Notices {
  readonly notices: readonly Notice[];
  readonly last: number;
}

/**
 * What holders of a ledger are to be told of after a row of its audit, oldest first; without a row nothing, only where
 * the audit ends now. Throws when D1 fails.
 */
export async function readNotices(database: Database, after: number | null): Promise<Notices> {
  // The audit is numbered without a gap, and the end is read first: a row that is written meanwhile is the next call's.
  const [end] = await database.select({ last: max(audit.id) }).from(audit);
  const newest = end?.last ?? 0;
  if (after === null) return { notices: [], last: newest };
  const last = Math.min(newest, after + SPAN);
  const rows = await database
    .select({ accountId: audit.target, action: audit.action, ts: audit.ts })
    .from(audit)
    .innerJoin(accounts, eq(accounts.id, audit.target))
    .where(
      and(gt(audit.id, after), lte(audit.id, last), inArray(audit.action, toldActions), isNotNull(accounts.holder)),
    )
    .orderBy(asc(audit.id));
  return { notices: rows.map(({ accountId, action, ts }) => ({ accountId, action, ts_ms: ts })), last };
}
