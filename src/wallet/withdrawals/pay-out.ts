import { describeError, logFault } from '../../http/log.ts';
import type { Database } from '../../ledger/database.ts';
import { type Asset, assets, scaleOf } from '../../money/assets.ts';
import { formatAmount } from '../../money/amounts.ts';
import type { Network } from '../../money/networks.ts';
import type { Custody, CustodyState, Payout } from '../custody/custody.ts';
import { type Settlement, settleWithdrawal } from './settle-withdrawal.ts';
import { type WithdrawalRow, readWithdrawal } from './withdrawal.ts';

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

/**
 * Brings a withdrawal that is PROCESSING as far as the custodian lets it: paid, failed, or still PROCESSING. One that
 * this request made is submitted; any other is looked up first and submitted again, under the same id, only when the
 * custodian has never seen it. Silence changes nothing: the money stays held, and a later look finishes it. Never
 * rejects, and ends within two of the custodian's deadlines.
 */
export async function payOut(
  database: Database,
  custody: Custody,
  row: WithdrawalRow,
  isFresh: boolean,
  now: () => number,
): Promise<WithdrawalRow> {
  const payout = toPayout(row);
  const state = isFresh ? await custody.submit(payout) : await lookOrSubmit(custody, payout);
  const settlement = readSettlement(state);
  if (!settlement) return row;
  try {
    const outcome = await settleWithdrawal(database, row, settlement, now());
    if (outcome.kind === 'committed') return applySettlement(row, settlement);
    // Somebody else settled it first, or D1 did not say: the row tells.
    return (await readWithdrawal(database, row.accountId, row.id)) ?? row;
  } catch (error) {
    logFault('withdrawal_not_settled', { withdrawalId: row.id, error: describeError(error) });
    return row;
  }
}

async function lookOrSubmit(custody: Custody, payout: Payout): Promise<CustodyState> {
  const found = await custody.lookup(payout);
  return found.kind === 'never_seen' ? custody.submit(payout) : found;
}

function readSettlement(state: CustodyState): Settlement | undefined {
  if (state.kind === 'sent') return { kind: 'paid', txHash: state.txHash };
  if (state.kind === 'refused') return { kind: 'failed', reason: state.reason };
  return undefined;
}

function applySettlement(row: WithdrawalRow, settlement: Settlement): WithdrawalRow {
  return settlement.kind === 'paid'
    ? { ...row, status: 'COMPLETED', txHash: settlement.txHash }
    : { ...row, status: 'FAILED', reason: settlement.reason };
}
