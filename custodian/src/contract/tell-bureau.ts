import { type Log, describeError } from '../log.ts';
import type { Database } from '../store/database.ts';
import { listUnheard, noteHeard } from '../store/spends.ts';
import type { Bureau } from './bureau.ts';

/**
 * Asks Bureau to look up each payout that has ended. It asks again in each round until Bureau has settled the
 * withdrawal, also after Bureau was down or the custodian was killed. Never rejects.
 */
export async function tellBureau(database: Database, bureau: Bureau, log: Log): Promise<void> {
  for (const id of listUnheard(database)) {
    try {
      if (await bureau.sayLookNow(id)) noteHeard(database, id);
    } catch (error) {
      log('look_now_failed', { id, error: describeError(error) });
    }
  }
}
