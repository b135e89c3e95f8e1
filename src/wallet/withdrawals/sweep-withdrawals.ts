import { type PayoutContext, payOut } from './pay-out.ts';
import { takeDueWithdrawals } from './withdrawal.ts';

/** So many in one sweep, so many at once: an invocation holds six connections. */
const MAX_SWEPT = 60;
const AT_ONCE = 6;

/**
 * Asks the custodian about every withdrawal that is due, those first that have waited longest for it, and settles what it
 * knows. What it does not know stays as it is and is asked about ever more rarely, up to an hour apart, so that no number
 * of stuck ones keeps another from its turn. Returns how many it took up. Throws when D1 cannot be written.
 */
export async function sweepWithdrawals(context: PayoutContext): Promise<number> {
  const rows = await takeDueWithdrawals(context.database, context.now(), MAX_SWEPT);
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const batch = rows.slice(start, start + AT_ONCE);
    await Promise.all(batch.map((row) => payOut(context, row, false)));
  }
  return rows.length;
}
