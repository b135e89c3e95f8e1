import { config } from './env.ts';
import type { Bindings } from './platform/bindings.ts';
import { describeError, logFault } from './platform/log.ts';
import { reachKeeper } from './ledger/reach-keeper.ts';

/** What happens every minute: the keeper of the ledger is woken. One that cannot be reached is woken a minute later. */
export async function runScheduled({ LEDGER_KEEPER }: Pick<Bindings, 'LEDGER_KEEPER'>): Promise<void> {
  try {
    await reachKeeper(LEDGER_KEEPER, config.LEDGER_LOCATION).wake();
  } catch (error) {
    logFault('keeper_unreachable', { error: describeError(error) });
  }
}
