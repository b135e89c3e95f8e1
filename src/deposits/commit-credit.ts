import { sql } from 'drizzle-orm';
import { type Actor, nameActor } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import { firstLedger } from '../db/database.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { handCredits } from '../db/schema.ts';
import type { Asset } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

/** What brings coins into a ledger. */
export interface IncomingAmount {
  readonly ledger: number;
  readonly asset: Asset;
  readonly amount: Atoms;
  /** Whether somebody enters it who could have invented it: not the custodian, and no two people who agree. */
  readonly isByHand: boolean;
}

/** Makes a credit, and what one person enters by hand within the limit for it in all ledgers together. */
export async function commitCredit(
  bindings: LedgerBindings,
  { ledger, asset, amount, isByHand }: IncomingAmount,
  attempt: () => Promise<CommitOutcome>,
  actor: Actor,
): Promise<CommitOutcome> {
  const isElsewhere = isByHand && ledger !== FIRST_LEDGER && !actor.proposal;
  const counted = isElsewhere ? await countInFirst(bindings, asset, amount, actor) : COUNTED;
  return counted.kind === 'committed' ? attempt() : counted;
}

const COUNTED: CommitOutcome = { kind: 'committed' };

/**
 * Counts in ledger 0 too what one person enters by hand in another ledger, before it is credited: several ledgers give
 * nobody several limits. One that is refused afterwards has counted all the same.
 */
async function countInFirst(
  bindings: LedgerBindings,
  asset: Asset,
  amount: Atoms,
  actor: Actor,
): Promise<CommitOutcome> {
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
  return commit(first, [count]);
}
