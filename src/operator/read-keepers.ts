import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import { listLedgers } from '../db/database.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import type { FlowsOfDay } from '../reconciliation/flow-sums.ts';
import type { ProfitOfDay } from '../reconciliation/profit-sums.ts';
import { type Keeper, type KeeperBindings, reachKeeper } from '../reconciliation/reach-keeper.ts';

/** What the keeper of each ledger knows. */
export function readFromKeepers<T>(
  bindings: KeeperBindings & LedgerBindings,
  read: (keeper: Keeper) => Promise<T>,
): Promise<(T | undefined)[]> {
  return Promise.all(listLedgers(bindings).map((ledger) => readFromKeeper(bindings, ledger, read)));
}

/** What a ledger's keeper knows; `undefined` when it does not answer, which is a metric of its own. */
export async function readFromKeeper<T>(
  bindings: KeeperBindings,
  ledger: number,
  read: (keeper: Keeper) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read(reachKeeper(bindings, ledger));
  } catch (error) {
    logFault('keeper_unreachable', { ledger, error: describeError(error) });
    return undefined;
  }
}

/** What came in, left and was traded in each ledger, from a day on. */
export async function readFlows(
  bindings: KeeperBindings & LedgerBindings,
  from: string,
): Promise<LedgerAnswer<readonly FlowsOfDay[]>[]> {
  const answers = await readFromKeepers(bindings, (keeper) => keeper.readFlows(from));
  return listLedgers(bindings).map((ledger, place) => ({ ledger, answer: answers[place] }));
}

/** What the house gained in each ledger, from a day on. */
export async function readProfit(
  bindings: KeeperBindings & LedgerBindings,
  from: string,
): Promise<LedgerAnswer<readonly ProfitOfDay[]>[]> {
  const answers = await readFromKeepers(bindings, (keeper) => keeper.readProfit(from));
  return listLedgers(bindings).map((ledger, place) => ({ ledger, answer: answers[place] }));
}
