import { sql } from 'drizzle-orm';
import { type Actor, nameActor } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import { firstLedger } from '../db/database.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { handCredits } from '../db/schema.ts';
import type { Asset } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

/**
 * Counts in ledger 0 too what one person enters by hand in another ledger, before it is credited: several ledgers give
 * nobody several limits. What two people agree on is not counted. One that is refused afterwards has counted all the same.
 * Returns why it was not counted; `undefined` where it was, or need not be.
 */
export async function countByHand(
  bindings: LedgerBindings,
  ledger: number,
  asset: Asset,
  amount: Atoms,
  actor: Actor,
): Promise<CommitOutcome | undefined> {
  if (ledger === FIRST_LEDGER || actor.proposal) return undefined;
  const first = firstLedger(bindings);
  const { now_ms } = actor;
  const row = sql`${nameActor(actor)}, ${asset}, ${now_ms}, CAST(${amount.toString()} AS INTEGER)`;
  const count = first
    .insert(handCredits)
    .select(sql`SELECT ${row} FROM two_admins WHERE true`)
    .onConflictDoUpdate({
      target: [handCredits.person, handCredits.asset, handCredits.enteredAt],
      set: { amount: sql`${handCredits.amount} + excluded.amount` },
    });
  const outcome = await commit(first, [count]);
  return outcome.kind === 'committed' ? undefined : outcome;
}
