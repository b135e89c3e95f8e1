import { type Log, describeError } from '../log.ts';
import { findListing } from '../networks.ts';
import type { Chain } from '../nodes/chain.ts';
import type { Followed } from '../nodes/follow.ts';
import { countConfirmations } from '../states/deposit.ts';
import { readBlockHash } from '../store/chain-state.ts';
import type { Database } from '../store/database.ts';
import { type Deposit, listUnsettledDeposits, noteReported } from '../store/deposits.ts';
import type { Bureau } from './bureau.ts';

/**
 * Reports the deposits of a network to Bureau: when first seen, and with all their confirmations until Bureau has settled
 * them. What was reorganised away is not reported until it is back; `failed` is said only of what can never come back.
 * Inner payments are not reported at all: a person decides. Never rejects; what fails is reported in the next round.
 */
export async function reportDeposits(
  database: Database,
  bureau: Bureau,
  chain: Chain,
  followed: Followed,
  log: Log,
): Promise<void> {
  for (const deposit of listUnsettledDeposits(database, chain.network)) {
    const { txHash, outputIndex, isInner } = deposit;
    if (isInner) continue;
    try {
      await reportDeposit(database, bureau, chain, deposit, followed);
    } catch (error) {
      log('report_failed', { network: chain.network, txHash, outputIndex, error: describeError(error) });
    }
  }
}

async function reportDeposit(
  database: Database,
  bureau: Bureau,
  chain: Chain,
  deposit: Deposit,
  followed: Followed,
): Promise<void> {
  if (deposit.state === 'DEAD') {
    // Bureau never heard of it: nothing there can fail.
    const answer = deposit.reported === 0 ? undefined : await bureau.report(deposit, 0, true);
    return noteReported(database, deposit, 0, answer?.status ?? 'DEAD');
  }
  if (deposit.height === null) return;
  const credited = findListing(deposit.network, deposit.asset)?.confirmations ?? 1;
  const confirmations = await countAgreed(database, chain, deposit.height, credited, followed);
  if (confirmations === 0 || (confirmations < credited && deposit.reported > 0)) return;
  const answer = await bureau.report(deposit, confirmations, false);
  // Over the supply cap the same report credits it later.
  const isOpen = answer.status === 'PENDING' || answer.reason === 'supply_cap';
  noteReported(database, deposit, confirmations, isOpen ? null : answer.status);
}

/** The confirmations to report; below what credits a deposit while a second node has another block in that place. */
async function countAgreed(
  database: Database,
  chain: Chain,
  height: number,
  credited: number,
  followed: Followed,
): Promise<number> {
  const confirmations = countConfirmations(height, followed.height, credited, followed.finalByTag);
  if (confirmations < credited) return confirmations;
  const hash = readBlockHash(database, chain.network, height);
  // Blocks far below finality are no longer kept; they were agreed on when they were.
  if (hash === undefined || (await chain.agrees({ height, hash }))) return confirmations;
  return Math.min(confirmations, credited - 1);
}
