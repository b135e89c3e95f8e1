import { type Outcome, type Refusal, accept, refuse } from '../http/answer.ts';
import type { CommitOutcome } from '../db/commit.ts';
import { house } from '../db/transfers.ts';
import { houseIsFull } from '../orders/batches.ts';
import { tradingHalted } from '../orders/plan.ts';
import type { Settled, SettledTrade, Trade } from './settlement.ts';

const terms = ['buyer', 'seller', 'coin', 'coinAmount', 'usdtAmount'] as const;

/** The answer where a settlement stands under the reference: itself if it is the same trade. */
export function repeat(standing: SettledTrade, wanted: Trade): Outcome<Settled> {
  if (terms.every((term) => standing[term] === wanted[term])) return accept({ settlement: standing, isNew: false });
  return usedReference;
}

export const usedReference = refuse('invalid_state', 'Another trade was settled under this reference. Use a new one.');

/** Why the database refused a settlement. `frozen` is the account of the trade that was seen frozen. */
export function explainRefusal(
  refusal: Extract<CommitOutcome, { kind: 'floor' | 'guarded' }>,
  trade: Trade,
  frozen: string | undefined,
): Refusal {
  if (refusal.kind === 'floor') {
    if (refusal.account === house.liquidity) return houseIsFull;
    const party = refusal.account === trade.buyer ? 'buyer' : 'seller';
    const detail = `The balance of ${refusal.asset} of the ${party}, account ${refusal.account}, is too small.`;
    return refuse('insufficient_balance', detail);
  }
  // The database checks one party after the other, so it finds a halt before it finds a frozen seller.
  const isFrozen = refusal.guard === 'trading_halted' && frozen !== undefined;
  if (refusal.guard === 'account_frozen' || isFrozen) {
    const whose = frozen === undefined ? 'An account of this trade' : `The account ${frozen}`;
    return refuse('account_frozen', `${whose} is frozen; nothing is settled for it.`);
  }
  if (refusal.guard === 'trading_halted') return tradingHalted;
  throw new Error(`a settlement met the guard ${refusal.guard}`);
}

export function describeUnknown({ reference }: Trade) {
  return refuse(
    'outcome_unknown',
    'It is not known yet whether the trade was settled. Send it again with the same reference.',
    { retryAfterSeconds: 1, members: { reference } },
  );
}
