import { config } from './env.ts';
import type { Bindings } from './platform/bindings.ts';
import { describeError, logFault } from './platform/log.ts';
import { openDatabase } from './ledger/database.ts';
import { runReconciliation } from './ledger/reconciliation/reconcile.ts';
import { chooseCustody } from './providers.ts';
import { sweepWithdrawals } from './wallet/withdrawals/sweep-withdrawals.ts';

/** What happens every minute. One that fails stops none of the others; it is logged, and due again in a minute. */
export async function runScheduled({ DB }: Pick<Bindings, 'DB'>, now: () => number): Promise<void> {
  const database = openDatabase(DB);
  // First: what it finds broken halts withdrawals, and the sweep of the same minute then submits none.
  await attempt('reconciliation_failed', () => runReconciliation(database, now));
  await attempt('sweep_failed', () => sweepWithdrawals({ database, custody: chooseCustody(config), now }));
}

async function attempt(fault: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    logFault(fault, { error: describeError(error) });
  }
}
