import { and, eq } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import { logEvent, tryOrLog } from '../platform/log.ts';
import { commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { withdrawals } from '../db/schema.ts';
import { assets, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import type { Custody, CustodyState, NeverSeen, Payout } from '../custody/custody.ts';
import { isAcross, lookUpAcross, payAcross } from './pay-across.ts';
import { type WithdrawalEnd, notHeld, settleWithdrawal } from './settle-withdrawal.ts';
import { type WithdrawalRow, isRow, readWithdrawal, takeDueWithdrawals } from './withdrawal.ts';

/** How long the release by the debit's or the approval's batch is valid. */
const RELEASE_STANDS_MS = 5_000;

/** The payout of a withdrawal; the same in every request for it. */
function toPayout(row: WithdrawalRow): Payout {
  const listed = assets[row.asset].networks.find(({ network }) => network === row.network);
  return {
    withdrawalId: row.id,
    asset: row.asset,
    network: row.network,
    contractAddress: listed?.contractAddress ?? null,
    address: row.address,
    amount: formatAmount(row.amount, scaleOf(row.asset)),
  };
}

export interface PayoutContext {
  readonly database: Database;
  /** The ledgers, of which another one may pay a withdrawal. */
  readonly ledgers: LedgerBindings;
  readonly custody: Custody;
  readonly now: () => number;
}

/**
 * Advances a PROCESSING withdrawal: it is then paid, failed, or still PROCESSING. If the caller's own batch has just
 * released it, it is submitted. Any other is looked up first, and submitted again under the same id only if the
 * custodian has never seen it and the database releases it again. For one to an account of another ledger, that ledger
 * stands in for the custodian. Without an answer nothing changes: the money stays held, and a later look-up finishes
 * it. What the custodian waits for is stored for the operator. Never rejects, and ends within two of the custodian's
 * deadlines.
 */
export async function payOut(context: PayoutContext, row: WithdrawalRow, isFresh: boolean): Promise<WithdrawalRow> {
  const { database, now } = context;
  return tryOrLog('withdrawal_not_settled', { withdrawalId: row.id }, row, async () => {
    const isReleased = isFresh && row.releasedAt !== null && now() - row.releasedAt < RELEASE_STANDS_MS;
    const found = isReleased ? neverAsked : await lookUp(context, row);
    const state = found.kind === 'never_seen' ? await submit(context, row, isReleased) : found;
    const settlement = readSettlement(state);
    if (!settlement) return await noteHeld(context, row, state);
    const outcome = await settleWithdrawal(database, row, settlement);
    if (outcome.kind === 'committed') return applySettlement(row, settlement);
    // Another request settled it first, or D1 did not say. The row has the present state.
    return (await readWithdrawal(database, row.accountId, row.id)) ?? row;
  });
}

function lookUp({ ledgers, custody }: PayoutContext, row: WithdrawalRow): Promise<CustodyState | NeverSeen> {
  return isAcross(row) ? lookUpAcross(ledgers, row) : custody.lookup(toPayout(row));
}

const neverAsked = { kind: 'never_seen' } as const;

/**
 * Submits the payout; this is the only place that does. The database has released the withdrawal right before, in the
 * caller's batch or in the write made here. During a halt, for a paused network or a frozen account that write is
 * refused, and nothing is submitted.
 */
async function submit(context: PayoutContext, row: WithdrawalRow, isReleased: boolean): Promise<CustodyState> {
  if (!isReleased && !(await release(context, row))) return { kind: 'unknown' };
  return isAcross(row) ? payAcross(context.ledgers, row) : context.custody.submit(toPayout(row));
}

/** Releases a withdrawal once more. Returns whether the database's trigger allowed it. */
async function release({ database, now }: PayoutContext, row: WithdrawalRow): Promise<boolean> {
  const outcome = await commit(database, [database.update(withdrawals).set({ releasedAt: now() }).where(isRow(row))]);
  if (outcome.kind === 'guarded') logEvent('payout_held', { withdrawalId: row.id, guard: outcome.guard });
  return outcome.kind === 'committed';
}

/** Notes for the operator what the custodian waits for, or that it no longer waits. Writes only what has changed. */
async function noteHeld(
  { database, now }: PayoutContext,
  row: WithdrawalRow,
  state: CustodyState,
): Promise<WithdrawalRow> {
  // Without an answer the last one stands.
  if (state.kind === 'unknown') return row;
  const heldReason = state.kind === 'held' ? state.reason : null;
  if (heldReason === row.heldReason) return row;
  const heldSince = heldReason === null ? null : (row.heldSince ?? now());
  const isProcessing = and(isRow(row), eq(withdrawals.status, 'PROCESSING'));
  await database.update(withdrawals).set({ heldReason, heldSince }).where(isProcessing);
  return { ...row, heldReason, heldSince };
}

function readSettlement(state: CustodyState): WithdrawalEnd | undefined {
  if (state.kind === 'sent') return { kind: 'paid', txHash: state.txHash };
  if (state.kind === 'refused') return { kind: 'failed', reason: state.reason };
  return undefined;
}

function applySettlement(row: WithdrawalRow, settlement: WithdrawalEnd): WithdrawalRow {
  return settlement.kind === 'paid'
    ? { ...row, ...notHeld, status: 'COMPLETED', txHash: row.recipient === null ? settlement.txHash : null }
    : { ...row, ...notHeld, status: 'FAILED', reason: settlement.reason };
}

/** How many withdrawals one sweep takes, and how many at once: an invocation has six connections. */
const MAX_SWEPT = 60;
const AT_ONCE = 6;

/**
 * Asks the custodian about every withdrawal that is due, the longest due first, and settles those that the custodian
 * knows the end of. The others are asked about less and less often, up to an hour apart, so that stuck ones do not
 * delay the rest. Returns how many it checked. Throws when D1 cannot be written.
 */
export async function sweepWithdrawals(context: PayoutContext): Promise<number> {
  const rows = await takeDueWithdrawals(context.database, context.now(), MAX_SWEPT);
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const batch = rows.slice(start, start + AT_ONCE);
    await Promise.all(batch.map((row) => payOut(context, row, false)));
  }
  return rows.length;
}
