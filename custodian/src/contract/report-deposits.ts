import { type Log, describeError } from '../log.ts';
import { findListing } from '../networks.ts';
import { forEachBounded } from '../bounded.ts';
import { type AgreementTools, type SecondLook, isAgreed, lookOnce } from '../nodes/agreement.ts';
import type { ChainProgress } from '../nodes/follow.ts';
import { countConfirmations } from '../states/deposit.ts';
import { type Deposit, isOrphaned, listUnsettledDeposits, noteReported } from '../store/deposits.ts';
import type { Bureau } from './bureau.ts';

/** So many reports are sent at the same time. */
const AT_ONCE = 8;

export interface ReportTools extends AgreementTools {
  readonly bureau: Bureau;
  readonly log: Log;
}

/**
 * Reports the deposits of a network to Bureau: once when they are first seen, and when they have all confirmations,
 * until Bureau has settled them. A deposit whose block was reorganised away is not reported until it is in a block
 * again. It is reported as `failed` only when it can never come back, also when Bureau has it in quarantine. An inner
 * payment is reported once, when it is final and the second node agrees where it must; Bureau puts it into quarantine.
 * Never rejects; a report that fails is sent again in the next round.
 */
export async function reportDeposits(tools: ReportTools, followed: ChainProgress): Promise<void> {
  const { database, chain, log } = tools;
  const looking = { ...tools, ...lookOnce(chain) };
  await forEachBounded(listUnsettledDeposits(database, chain.network), AT_ONCE, async (deposit) => {
    const { txHash, outputIndex } = deposit;
    try {
      await reportDeposit(looking, deposit, followed);
    } catch (error) {
      log('report_failed', { network: chain.network, txHash, outputIndex, error: describeError(error) });
    }
  });
}

async function reportDeposit(
  tools: ReportTools & SecondLook,
  deposit: Deposit,
  followed: ChainProgress,
): Promise<void> {
  const { database, bureau } = tools;
  if (deposit.state === 'DEAD') {
    // If it was never reported, Bureau has nothing that could fail.
    const answer = deposit.reported === 0 ? undefined : await bureau.report(deposit, 0, true);
    return noteReported(database, deposit, 0, answer?.status ?? 'DEAD');
  }
  if (deposit.height === null || (deposit.isInner && deposit.state !== 'FINAL')) return;
  const credited = findListing(deposit.network, deposit.asset)?.confirmations ?? 1;
  const confirmations = await countAgreed(tools, deposit, deposit.height, credited, followed);
  if (confirmations === 0 || (confirmations < credited && deposit.reported > 0)) return;
  const answer = await bureau.report(deposit, confirmations, false);
  // A deposit over the supply cap stays open: the same report credits it when there is room.
  const isOpen = answer.status === 'PENDING' || answer.reason === 'supply_cap';
  noteReported(database, deposit, confirmations, isOpen ? null : answer.status);
  // Its block was reorganised away while Bureau credited it, so no look has seen it credited.
  if (answer.status === 'COMPLETED' && isOrphaned(database, deposit)) {
    const { network, txHash, outputIndex, asset, state } = deposit;
    tools.log('credited_deposit_gone', { network, txHash, outputIndex, asset, state });
  }
}

/**
 * The confirmations to report. As long as a second node must agree and does not, which is logged, they are one too few
 * for a credit, and none for an inner payment.
 */
async function countAgreed(
  tools: ReportTools & SecondLook,
  deposit: Deposit,
  height: number,
  credited: number,
  followed: ChainProgress,
): Promise<number> {
  const confirmations = countConfirmations(height, followed.height, credited, followed.finalByTag);
  if (confirmations < credited && !deposit.isInner) return confirmations;
  const { network, txHash, outputIndex, address, asset, atoms } = deposit;
  const agreed = await isAgreed(
    tools,
    { ...deposit, height },
    ({ payments }) =>
      payments.some(
        (payment) =>
          payment.outputIndex === outputIndex &&
          payment.address === address &&
          payment.asset === asset &&
          payment.atoms === atoms,
      ),
    (view) =>
      deposit.isInner
        ? height <= view.finalHeight
        : countConfirmations(height, view.height, credited, view.finalByTag) >= credited,
  );
  if (agreed) return confirmations;
  tools.log('deposit_doubted', { network, txHash, outputIndex });
  return deposit.isInner ? 0 : credited - 1;
}
