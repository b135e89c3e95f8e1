import type { Database } from '../../ledger/database.ts';
import type { Custody } from '../custody/custody.ts';
import { payOut } from './pay-out.ts';
import { listOpenWithdrawals } from './withdrawal.ts';

/** Younger ones are still in the hands of the request that made them. */
const MIN_AGE_MS = 30_000;

/** So many in one sweep, so many at once: an invocation holds six connections. */
const MAX_SWEPT = 60;
const AT_ONCE = 6;

/**
 * Asks the custodian after every withdrawal that is PROCESSING, oldest first, and settles what it knows. What it does
 * not know stays as it is, for the next sweep. Gives the number it asked after. Throws when D1 cannot be read.
 */
export async function sweepWithdrawals(database: Database, custody: Custody, now: () => number): Promise<number> {
  const rows = await listOpenWithdrawals(database, 'PROCESSING', now() - MIN_AGE_MS, MAX_SWEPT);
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const batch = rows.slice(start, start + AT_ONCE);
    await Promise.all(batch.map((row) => payOut(database, custody, row, false, now)));
  }
  return rows.length;
}
