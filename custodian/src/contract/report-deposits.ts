import { parseAmount } from '../../../src/money/amounts.ts';
import { type Log, describeError } from '../log.ts';
import { findListing } from '../networks.ts';
import type { Chain } from '../nodes/chain.ts';
import type { Followed } from '../nodes/follow.ts';
import { countConfirmations } from '../states/deposit.ts';
import { readBlockHash } from '../store/chain-state.ts';
import type { Database } from '../store/database.ts';
import { type Deposit, listUnsettledDeposits, noteReported } from '../store/deposits.ts';
import type { Bureau } from './bureau.ts';

/** What deposits of one network are reported with. */
export interface ReportTools {
  readonly database: Database;
  readonly bureau: Bureau;
  readonly chain: Chain;
  readonly log: Log;
  /** By asset, from which amount on the second node must agree. */
  readonly agreeFrom: Readonly<Record<string, string>>;
}

/**
 * Reports the deposits of a network to Bureau: when first seen, and with all their confirmations until Bureau has settled
 * them. What was reorganised away is not reported until it is back; `failed` is said only of what can never come back.
 * Inner payments are not reported at all: a person decides. Never rejects; what fails is reported in the next round.
 */
export async function reportDeposits(tools: ReportTools, followed: Followed): Promise<void> {
  const { database, chain, log } = tools;
  for (const deposit of listUnsettledDeposits(database, chain.network)) {
    const { txHash, outputIndex, isInner } = deposit;
    if (isInner) continue;
    try {
      await reportDeposit(tools, deposit, followed);
    } catch (error) {
      log('report_failed', { network: chain.network, txHash, outputIndex, error: describeError(error) });
    }
  }
}

async function reportDeposit(tools: ReportTools, deposit: Deposit, followed: Followed): Promise<void> {
  const { database, bureau } = tools;
  if (deposit.state === 'DEAD') {
    // Bureau never heard of it: nothing there can fail.
    const answer = deposit.reported === 0 ? undefined : await bureau.report(deposit, 0, true);
    return noteReported(database, deposit, 0, answer?.status ?? 'DEAD');
  }
  if (deposit.height === null) return;
  const credited = findListing(deposit.network, deposit.asset)?.confirmations ?? 1;
  const confirmations = await countAgreed(tools, deposit, deposit.height, credited, followed);
  if (confirmations === 0 || (confirmations < credited && deposit.reported > 0)) return;
  const answer = await bureau.report(deposit, confirmations, false);
  // Over the supply cap the same report credits it later.
  const isOpen = answer.status === 'PENDING' || answer.reason === 'supply_cap';
  noteReported(database, deposit, confirmations, isOpen ? null : answer.status);
}

/** The confirmations to report; below what credits a deposit while the word of a second node is needed and missing. */
async function countAgreed(
  { database, chain, agreeFrom }: ReportTools,
  { asset, atoms }: Deposit,
  height: number,
  credited: number,
  followed: Followed,
): Promise<number> {
  const confirmations = countConfirmations(height, followed.height, credited, followed.finalByTag);
  if (confirmations < credited) return confirmations;
  const bound = parseAmount(agreeFrom[asset] ?? '0', findListing(chain.network, asset)?.decimals ?? 0) ?? 0n;
  if (atoms < bound) return confirmations;
  const hash = readBlockHash(database, chain.network, height);
  // Blocks far below finality are no longer kept; they were agreed on when they were.
  const agreed = hash === undefined || (await chain.agrees({ height, hash }));
  return (agreed ?? bound === 0n) ? confirmations : Math.min(confirmations, credited - 1);
}
