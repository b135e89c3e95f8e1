import { type KeeperBindings, reachKeeper } from '../../reconciliation/reach-keeper.ts';
import { describeError, logFault } from '../../platform/log.ts';

/**
 * Has all endpoints of a ledger woken that are behind, after a change that may have told anybody something. Never
 * throws: what fails here is made good by the sweep of the same minute.
 */
export async function wakeAfterChange(bindings: KeeperBindings, ledger: number): Promise<void> {
  try {
    await reachKeeper(bindings, ledger).wakeSenders();
  } catch (error) {
    logFault('senders_not_woken', { error: describeError(error) });
  }
}
