import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { events, listeners } from '../db/schema.ts';

/** How many accounts one call looks at, and how many events of each it deletes at most. */
const MAX_ACCOUNTS = 200;
const MAX_DELETED = 500;

/** The time before which events are deleted, by the database's own clock, which also wrote their times. */
const expired = sql`(unixepoch('subsec') * 1000 - 7776000000)`;

/**
 * Deletes events that are older than 90 days, oldest first, of the next accounts after `behind`; the newest event of an
 * account stays, because the next one takes its number from it. Returns the last account that was looked at, or `null`
 * at the end. Throws when D1 fails.
 */
export async function purgeEvents(database: Database, behind: string | null): Promise<string | null> {
  const oldest = sql<number | null>`(
    SELECT ts < ${expired} FROM events WHERE events.account_id = listeners.account_id ORDER BY sequence LIMIT 1)`;
  const looked = await database
    .select({ accountId: listeners.accountId, hasExpired: oldest.as('has_expired') })
    .from(listeners)
    .where(behind === null ? undefined : gt(listeners.accountId, behind))
    .orderBy(asc(listeners.accountId))
    .limit(MAX_ACCOUNTS);
  for (const { accountId, hasExpired } of looked) {
    if (hasExpired === 1) await purgeAccount(database, accountId);
  }
  return looked.length === MAX_ACCOUNTS ? (looked.at(-1)?.accountId ?? null) : null;
}

async function purgeAccount(database: Database, accountId: string): Promise<void> {
  const rows = await database
    .select({ sequence: events.sequence, isExpired: sql<number>`${events.ts} < ${expired}` })
    .from(events)
    .where(eq(events.accountId, accountId))
    .orderBy(asc(events.sequence))
    .limit(MAX_DELETED + 1);
  // Only rows with a later one behind them, up to the first that is kept.
  const kept = rows.findIndex(({ isExpired }) => isExpired !== 1);
  const last = rows.slice(0, kept === -1 ? rows.length - 1 : Math.min(kept, rows.length - 1)).at(-1);
  if (!last) return;
  await database.delete(events).where(and(eq(events.accountId, accountId), lte(events.sequence, last.sequence)));
}
