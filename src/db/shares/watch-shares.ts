import { z } from 'zod';
import { scaleOf } from '../../money/assets.ts';
import { formatAmount } from '../../money/amounts.ts';
import { insertAudit } from '../audit.ts';
import { commit } from '../commit.ts';
import type { Database } from '../database.ts';
import { readStanding, usedOf } from './read-shares.ts';

/** The limits of which a ledger was found to have nearly used its share, each as `<account> <asset>`. */
export const NearlyUsed = z.array(z.string());

export type NearlyUsed = z.output<typeof NearlyUsed>;

/** A share is nearly used from this percentage on, and until less than the other one is used. */
const NEARLY_PERCENT = 80n;
const NO_LONGER_PERCENT = 70n;

/**
 * Writes a row of the audit, of which the operator is told, for each share that is nearly used and was not before.
 * Returns what is nearly used now. Throws when D1 fails.
 */
export async function watchShares(
  database: Database,
  ledger: number,
  known: NearlyUsed,
  now_ms: number,
): Promise<NearlyUsed> {
  const { limits } = await readStanding(database, ledger);
  const nearly = limits.filter(({ account, asset, amount, floor }) => {
    const percent = known.includes(`${account} ${asset}`) ? NO_LONGER_PERCENT : NEARLY_PERCENT;
    return floor < 0n && usedOf(amount) * 100n >= -floor * percent;
  });
  const [first, ...others] = nearly
    .filter(({ account, asset }) => !known.includes(`${account} ${asset}`))
    .map(({ account, asset, amount, floor }) => {
      const [used, share] = [usedOf(amount), -floor].map((atoms) => formatAmount(atoms, scaleOf(asset)));
      const limit = account === 'house:custody' ? 'supplyCaps' : 'exposure';
      const detail = { ledger, limit, asset, used, share };
      return insertAudit(database, { role: 'reconciliation', now_ms }, 'share_nearly_used', asset, detail);
    });
  if (first) {
    const outcome = await commit(database, [first, ...others]);
    if (outcome.kind !== 'committed') throw new Error(`nearly used shares were not told: ${outcome.kind}`);
  }
  return nearly.map(({ account, asset }) => `${account} ${asset}`);
}
