import { type Log, describeError } from '../log.ts';
import { type AgreementTools, isAgreed } from '../nodes/agreement.ts';
import { findPaid, isAsOrdered, listOpenSpends } from '../store/spends.ts';

/**
 * The payouts that the first node shows in a final block and the second does not, or has not confirmed yet. Only a
 * payout that both have paid may be answered as *sent*, since Bureau never asks again. It is asked again at every look.
 * Never rejects.
 */
export async function listDoubted(
  tools: AgreementTools & { readonly log: Log },
  finalHeight: number,
): Promise<ReadonlySet<string>> {
  const { database, chain, log } = tools;
  const doubted = new Set<string>();
  for (const spend of listOpenSpends(database, chain.network)) {
    const paid = spend.purpose === 'payout' ? findPaid(database, spend) : undefined;
    if (!paid || paid.height > finalHeight) continue;
    const event = { id: spend.id, network: chain.network, txHash: paid.txHash };
    try {
      if (
        await isAgreed(
          tools,
          { ...spend, ...paid },
          ({ isReverted, moves }) => !isReverted && isAsOrdered(spend, moves),
        )
      )
        continue;
      log('payout_doubted', event);
    } catch (error) {
      log('payout_doubted', { ...event, error: describeError(error) });
    }
    doubted.add(spend.id);
  }
  return doubted;
}
