import { type Log, describeError } from '../log.ts';
import type { Database } from '../store/database.ts';
import { listHeldOtherwise, listUnheard, noteHeard, noteTold } from '../store/spends.ts';
import type { Bureau } from './bureau.ts';

/**
 * Asks Bureau to look up each payout that has ended, and each that is held or is no longer held. It asks again in each
 * round until Bureau has settled the withdrawal, or has looked, also after Bureau was down or the custodian was killed.
 * Never rejects.
 */
export async function tellBureau(database: Database, bureau: Bureau, log: Log): Promise<void> {
  const tell = async (id: string, onSettled: () => void) => {
    try {
      if (await bureau.sayLookNow(id)) onSettled();
    } catch (error) {
      log('look_now_failed', { id, error: describeError(error) });
    }
  };
  for (const id of listUnheard(database)) await tell(id, () => noteHeard(database, id));
  // Of a withdrawal that Bureau has settled it asks nothing more, so there is nothing to wait for.
  for (const id of listHeldOtherwise(database)) await tell(id, () => noteTold(database, id));
}
