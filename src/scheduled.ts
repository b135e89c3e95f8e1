import { tryOrLog } from './platform/log.ts';
import type { LedgerBindings } from './platform/bindings.ts';
import { listLedgers } from './db/database.ts';
import { type HedgerBindings, wakeHedger } from './dealing/reach-hedger.ts';
import { type KeeperBindings, reachKeeper } from './reconciliation/reach-keeper.ts';

/**
 * What happens every minute: each ledger's keeper is woken, and its hedger where there is a dealer. One that cannot be reached
 * is woken a minute later.
 */
export async function runScheduled(
  bindings: KeeperBindings & HedgerBindings & LedgerBindings,
  hasDealer: boolean,
): Promise<void> {
  await Promise.all(
    listLedgers(bindings).flatMap((ledger) => [
      tryOrLog('keeper_unreachable', { ledger }, undefined, () => reachKeeper(bindings, ledger).wake()),
      ...(hasDealer ? [wakeHedger(bindings, ledger)] : []),
    ]),
  );
}
