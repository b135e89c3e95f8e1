import { eq, sql } from 'drizzle-orm';
import type { Database } from './database.ts';
import { accounts } from './schema.ts';

/**
 * The number of a change of an account's status or of one of its keys, for the UPDATE of the account's row in the batch
 * of the change. It is the time in milliseconds, or the previous number plus one if that is more. So numbers only rise,
 * and after a restore of the database to an earlier time, the next change has a higher number than any change before.
 */
export function nextRecordNumber(now_ms: number) {
  return sql<number>`max(${accounts.recordNumber} + 1, ${now_ms})`;
}

/** The statement that numbers a change made by another statement of the same batch. */
export function numberChange(database: Database, accountId: string, now_ms: number) {
  return database
    .update(accounts)
    .set({ recordNumber: nextRecordNumber(now_ms) })
    .where(eq(accounts.id, accountId));
}

/**
 * Raises an account's number above the one that a lane holds, so that the lane accepts the database's record. Throws
 * when D1 fails.
 */
export async function raiseRecordNumber(database: Database, accountId: string, held: number): Promise<void> {
  await database
    .update(accounts)
    .set({ recordNumber: sql`max(${accounts.recordNumber}, ${held}) + 1` })
    .where(eq(accounts.id, accountId));
}
