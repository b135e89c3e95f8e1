import { describeError, logEvent, logFault } from '../../platform/log.ts';
import { commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { withdrawals } from '../../ledger/schema.ts';
import { type Asset, assets, scaleOf } from '../../money/assets.ts';
import { formatAmount } from '../../money/amounts.ts';
import type { Network } from '../../money/networks.ts';
import type { Custody, CustodyState, Payout } from '../custody/custody.ts';
import { type WithdrawalEnd, settleWithdrawal } from './settle-withdrawal.ts';
import { type WithdrawalRow, isRow, readWithdrawal } from './withdrawal.ts';

/** For so long the batch that took the money, or approved it, stands for the submission that follows. */
const RELEASE_STANDS_MS = 5_000;

/** What the custodian is asked to pay for a withdrawal; the same in every question about it. */
export function toPayout(row: WithdrawalRow): Payout {
  return {
    withdrawalId: row.id,
    asset: row.asset,
    network: row.network,
    contractAddress: contractOf(row.asset, row.network),
    address: row.address,
    amount: formatAmount(row.amount, scaleOf(row.asset)),
  };
}

function contractOf(asset: Asset, network: Network): string | null {
  return assets[asset].networks.find((listed) => listed.network === network)?.contractAddress ?? null;
}

/** What paying out needs from around it. */
export interface PayoutContext {
  readonly database: Database;
  readonly custody: Custody;
  readonly now: () => number;
}

/**
 * Brings a withdrawal that is PROCESSING as far as the custodian lets it: paid, failed, or still PROCESSING. One that
 * the caller's own batch has just let out is submitted; any other is looked up first and submitted again, under the same
 * id, only when the custodian has never seen it and the database lets it out again. Silence changes nothing: the money
 * stays held, and a later look finishes it. Never rejects, and ends within two of the custodian's deadlines.
 */
export async function payOut(context: PayoutContext, row: WithdrawalRow, isFresh: boolean): Promise<WithdrawalRow> {
  const { database, custody, now } = context;
  try {
    const isReleased = isFresh && row.releasedAt !== null && now() - row.releasedAt < RELEASE_STANDS_MS;
    const found = isReleased ? neverAsked : await custody.lookup(toPayout(row));
    const state = found.kind === 'never_seen' ? await submit(context, row, isReleased) : found;
    const settlement = readSettlement(state);
    if (!settlement) return row;
    const outcome = await settleWithdrawal(database, row, settlement);
    if (outcome.kind === 'committed') return applySettlement(row, settlement);
    // Somebody else settled it first, or D1 did not say: the row tells.
    return (await readWithdrawal(database, row.accountId, row.id)) ?? row;
  } catch (error) {
    logFault('withdrawal_not_settled', { withdrawalId: row.id, error: describeError(error) });
    return row;
  }
}

const neverAsked = { kind: 'never_seen' } as const;

/**
 * Asks for the payout; nothing else does. The database has let the withdrawal out just before: in the caller's batch, or
 * in the write made here. A halt, a paused network and a frozen account refuse that write, and nothing is asked.
 */
async function submit(context: PayoutContext, row: WithdrawalRow, isReleased: boolean): Promise<CustodyState> {
  if (!isReleased && !(await release(context, row))) return { kind: 'unknown' };
  return context.custody.submit(toPayout(row));
}

/** Lets a withdrawal out once more: whether the database took the write, which its trigger guards. */
async function release({ database, now }: PayoutContext, row: WithdrawalRow): Promise<boolean> {
  const outcome = await commit(database, [database.update(withdrawals).set({ releasedAt: now() }).where(isRow(row))]);
  if (outcome.kind === 'guarded') logEvent('payout_held', { withdrawalId: row.id, guard: outcome.guard });
  return outcome.kind === 'committed';
}

function readSettlement(state: CustodyState): WithdrawalEnd | undefined {
  if (state.kind === 'sent') return { kind: 'paid', txHash: state.txHash };
  if (state.kind === 'refused') return { kind: 'failed', reason: state.reason };
  return undefined;
}

function applySettlement(row: WithdrawalRow, settlement: WithdrawalEnd): WithdrawalRow {
  return settlement.kind === 'paid'
    ? { ...row, status: 'COMPLETED', txHash: settlement.txHash }
    : { ...row, status: 'FAILED', reason: settlement.reason };
}
