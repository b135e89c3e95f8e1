import { eq } from 'drizzle-orm';
import { insertAudit } from './audit.ts';
import { commit } from './commit.ts';
import type { Database } from './database.ts';
import { settings } from './schema.ts';

/**
 * Tells a new database which ledger it is. Its shares of the supply caps and exposures, which the migrations gave it
 * as if it were ledger 0, are then nothing. The same number again changes nothing more. Throws unless the write is confirmed, and when
 * the database has another number or an account already.
 */
export async function numberLedger(database: Database, ledger: number, now_ms: number): Promise<void> {
  const outcome = await commit(database, [
    insertAudit(database, { role: 'reconciliation', now_ms }, 'number_ledger', 'settings', { ledger }),
    database.update(settings).set({ ledger }).where(eq(settings.id, 1)),
  ]);
  if (outcome.kind !== 'committed') throw new Error(`ledger ${ledger} has not taken its number: ${outcome.kind}`);
}
