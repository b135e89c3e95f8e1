import { sql } from 'drizzle-orm';
import { refuse } from '../../http/refusal.ts';
import { type Actor, nameActor } from '../../ledger/audit.ts';
import { type CommitOutcome, commit } from '../../ledger/commit.ts';
import { firstLedger } from '../../ledger/ledgers.ts';
import { type Obtained, obtainRoom } from '../../ledger/quotas/obtain-quota.ts';
import { FIRST_LEDGER } from '../../ledger/record-id.ts';
import { handCredits } from '../../ledger/schema.ts';
import { house } from '../../ledger/transfers.ts';
import type { Asset } from '../../money/assets.ts';
import type { Atoms } from '../../money/amounts.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';

/** The refusal of a credit while other ledgers have not given the quota that it needs. */
export const noQuotaYet = refuse(
  'service_unavailable',
  'The account’s ledger has no room for it yet, and obtains some. Send it again.',
  { retryAfterSeconds: 1 },
);

/** What brings coins into a ledger. */
export interface IncomingAmount {
  readonly ledger: number;
  readonly asset: Asset;
  readonly amount: Atoms;
  /** Whether somebody enters it who could have invented it: not the custodian, and no two people who agree. */
  readonly isByHand: boolean;
}

/** How the attempt ended. With the outcome `floor`, whether the exchange itself has no room, or only the ledger has none yet. */
export interface CreditOutcome {
  readonly outcome: CommitOutcome;
  readonly room: Obtained;
}

/**
 * Makes a credit within the supply cap, and what one person enters by hand within the limit for it in all ledgers
 * together. If the ledger's quota refuses it while the exchange has room, the ledger obtains
 * quota from others, and the credit is attempted once more.
 */
export async function commitCredit(
  bindings: LedgerBindings,
  { ledger, asset, amount, isByHand }: IncomingAmount,
  attempt: () => Promise<CommitOutcome>,
  actor: Actor,
): Promise<CreditOutcome> {
  const isElsewhere = isByHand && ledger !== FIRST_LEDGER && !actor.proposal;
  const counted = isElsewhere ? await countInFirst(bindings, asset, amount, actor) : COUNTED;
  const outcome = counted.kind === 'committed' ? await attempt() : counted;
  if (outcome.kind !== 'floor') return { outcome, room: 'obtained' };
  const limit = { account: house.custody, asset };
  const room = await obtainRoom(bindings, limit, ledger, amount, { role: 'reconciliation', now_ms: actor.now_ms });
  if (room !== 'obtained') return { outcome, room };
  const again = await attempt();
  return { outcome: again, room: again.kind === 'floor' ? 'not_yet' : 'obtained' };
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
