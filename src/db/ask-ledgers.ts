import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { withDeadline } from '../platform/deadline.ts';
import { type Database, listLedgers, openLedger } from './database.ts';

/** What one ledger answered; `undefined` when it failed or took too long. */
export interface LedgerAnswer<Answer> {
  readonly ledger: number;
  readonly answer: Answer | undefined;
}

/** One ledger of several that takes longer is left out. */
const DEADLINE_MS = 5_000;

/**
 * Asks all ledgers at once, for what is shown of each and summed over all. Returns one answer for each, in the order of
 * their numbers. One that fails is logged and has no answer. Throws only when none has: so a single ledger is asked as
 * if this function were not there.
 */
export async function askLedgers<Answer>(
  bindings: LedgerBindings,
  ask: (database: Database, ledger: number) => Promise<Answer>,
): Promise<LedgerAnswer<Answer>[]> {
  const ledgers = listLedgers(bindings);
  const askOne = (ledger: number) => ask(openLedger(bindings, ledger), ledger);
  const [only, ...others] = ledgers;
  if (only !== undefined && others.length === 0) return [{ ledger: only, answer: await askOne(only) }];
  const settled = await Promise.allSettled(ledgers.map((ledger) => withDeadline(DEADLINE_MS, () => askOne(ledger))));
  const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failed.length === ledgers.length) throw failed[0];
  return settled.map((one, position) => {
    const ledger = ledgers[position] ?? position;
    if (one.status === 'fulfilled') return { ledger, answer: one.value };
    logFault('ledger_unreachable', { ledger, error: describeError(one.reason) });
    return { ledger, answer: undefined };
  });
}
