import { type Log, describeError } from '../log.ts';
import type { Database } from '../store/database.ts';
import { listUnheard, noteHeard } from '../store/spends.ts';
import type { Bureau } from './bureau.ts';

/**
 * Says of every payout at its end that it is time to look, until Bureau has heard it: also when Bureau was down, and when
 * the custodian was killed in between. Never rejects; what was not heard is said again in the next round.
 */
export async function tellBureau(database: Database, bureau: Bureau, log: Log): Promise<void> {
  for (const id of listUnheard(database)) {
    try {
      await bureau.sayLookNow(id);
      noteHeard(database, id);
    } catch (error) {
      log('look_now_failed', { id, error: describeError(error) });
    }
  }
}
