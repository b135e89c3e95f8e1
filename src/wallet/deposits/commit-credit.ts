import { refuse } from '../../http/refusal.ts';
import type { Actor } from '../../ledger/audit.ts';
import type { CommitOutcome } from '../../ledger/commit.ts';
import { type Obtained, obtainRoom } from '../../ledger/quotas/obtain-quota.ts';
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
}

/** How the attempt ended. With the outcome `floor`, whether the exchange itself has no room, or only the ledger has none yet. */
export interface CreditOutcome {
  readonly outcome: CommitOutcome;
  readonly room: Obtained;
}

/**
 * Makes a credit within the supply cap. If the ledger's quota refuses it while the exchange has room, the ledger obtains
 * quota from others, and the credit is attempted once more.
 */
export async function commitCredit(
  bindings: LedgerBindings,
  { ledger, asset, amount }: IncomingAmount,
  attempt: () => Promise<CommitOutcome>,
  actor: Actor,
): Promise<CreditOutcome> {
  const outcome = await attempt();
  if (outcome.kind !== 'floor') return { outcome, room: 'obtained' };
  const limit = { account: house.custody, asset };
  const room = await obtainRoom(bindings, limit, ledger, amount, { role: 'reconciliation', now_ms: actor.now_ms });
  if (room !== 'obtained') return { outcome, room };
  const again = await attempt();
  return { outcome: again, room: again.kind === 'floor' ? 'not_yet' : 'obtained' };
}
