import { describeError, logFault } from './platform/log.ts';
import { type KeeperBindings, reachKeeper } from './ledger/reach-keeper.ts';

/** What happens every minute: the keeper of the ledger is woken. One that cannot be reached is woken a minute later. */
export async function runScheduled(bindings: KeeperBindings): Promise<void> {
  try {
    await reachKeeper(bindings).wake();
  } catch (error) {
    logFault('keeper_unreachable', { error: describeError(error) });
  }
}
