import type { LedgerBindings } from '../../platform/bindings.ts';
import { openLedger } from '../../ledger/ledgers.ts';
import { advanceHold } from './advance-hold.ts';
import { listOpenHolds } from './settlement-hold.ts';

/** By then the request that made a hold has ended. */
const FINISHED_AFTER_MS = 15_000;

/** How many holds one call advances. */
const MAX_ADVANCED = 30;

/**
 * Goes on with the trades whose USDT a ledger has held for a while, the oldest first: each is then paid for, or returned,
 * or still held because a database does not answer. Throws when D1 fails in the ledger itself.
 */
export async function finishHolds(bindings: LedgerBindings, ledger: number, now_ms: number): Promise<void> {
  const holds = await listOpenHolds(openLedger(bindings, ledger), now_ms - FINISHED_AFTER_MS, MAX_ADVANCED);
  for (const hold of holds) await advanceHold(bindings, hold, now_ms);
}
