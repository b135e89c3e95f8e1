import { type PayoutContext, payOut } from './pay-out.ts';
import { takeDueWithdrawals } from './withdrawal.ts';

/** How many withdrawals one sweep takes, and how many at once: an invocation has six connections. */
const MAX_SWEPT = 60;
const AT_ONCE = 6;

/**
 * Asks the custodian about every withdrawal that is due, the longest due first, and settles those that the custodian
 * knows the end of. The others are asked about less and less often, up to an hour apart, so that stuck ones do not
 * delay the rest. Returns how many it checked. Throws when D1 cannot be written.
 */
export async function sweepWithdrawals(context: PayoutContext): Promise<number> {
  const rows = await takeDueWithdrawals(context.database, context.now(), MAX_SWEPT);
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const batch = rows.slice(start, start + AT_ONCE);
    await Promise.all(batch.map((row) => payOut(context, row, false)));
  }
  return rows.length;
}
