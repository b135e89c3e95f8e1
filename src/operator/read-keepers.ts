import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { listLedgers } from '../db/database.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { type Keeper, type KeeperBindings, reachKeeper } from '../reconciliation/reach-keeper.ts';

/** What the keeper of each ledger knows. */
export function readFromKeepers<T>(
  bindings: KeeperBindings & LedgerBindings,
  read: (keeper: Keeper) => Promise<T>,
): Promise<LedgerAnswer<T>[]> {
  const ask = async (ledger: number) => ({ ledger, answer: await readFromKeeper(bindings, ledger, read) });
  return Promise.all(listLedgers(bindings).map(ask));
}

/** What a ledger's keeper knows; `undefined` when it does not answer, which is a metric of its own. */
export async function readFromKeeper<T>(
  bindings: KeeperBindings,
  ledger: number,
  read: (keeper: Keeper) => Promise<T>,
): Promise<T | undefined> {
  return tryOrLog('keeper_unreachable', { ledger }, undefined, () => read(reachKeeper(bindings, ledger)));
}
