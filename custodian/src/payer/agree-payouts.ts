import { forEachBounded } from '../bounded.ts';
import { type Log, describeError } from '../log.ts';
import { type AgreementTools, type SecondLook, isAgreed, isAgreedDead } from '../nodes/agreement.ts';
import { findDeath, readBlockHash, readDeadline } from '../store/chain-state.ts';
import { type Spend, findPaid, findSpent, isAsOrdered, listOpenSpends, listVersions } from '../store/spends.ts';

/** So many payouts are asked about at the same time. */
const AT_ONCE = 8;

/** The payouts about whose end both nodes agree, where they must. It is lost when the process ends, and asked again. */
export class AgreedPayouts {
  readonly #agreed = new Map<string, string>();

  /** Whether the end of a payout that the first node shows may be relied on. Other spends need nobody's agreement. */
  has(tools: Pick<AgreementTools, 'database'>, spend: Spend): boolean {
    const name = spend.purpose === 'payout' ? nameEnd(tools, spend) : undefined;
    return name === undefined || this.#agreed.get(spend.id) === name;
  }

  add(tools: Pick<AgreementTools, 'database'>, spend: Spend): void {
    const name = nameEnd(tools, spend);
    if (name !== undefined) this.#agreed.set(spend.id, name);
  }

  /** Forgets all payouts but these, which are open. */
  keep(open: readonly Spend[]): void {
    const ids = new Set(open.map(({ id }) => id));
    for (const id of this.#agreed.keys()) if (!ids.has(id)) this.#agreed.delete(id);
  }
}

/** The name of the end that our blocks show for a payout: its transaction in exactly this block, or that it is dead. */
function nameEnd({ database }: Pick<AgreementTools, 'database'>, spend: Spend): string | undefined {
  const { network, fence } = spend;
  const spent = findSpent(database, spend);
  if (!spent && fence !== null && findDeath(database, network, fence) !== undefined) return `${fence} is dead`;
  return spent && [spend.id, spent.txHash, readBlockHash(database, spend.network, spent.height)].join();
}

/**
 * Asks the second node about every payout that the first shows in a final block: only a payout that both have paid may be
 * answered as *sent*, since Bureau never asks again, and only one that both have not may be refused, or given another
 * version. Returns whether they now agree about one more. Never rejects.
 */
export async function agreeOnPayouts(
  tools: AgreementTools & SecondLook & { readonly log: Log },
  finalHeight: number,
  agreed: AgreedPayouts,
): Promise<boolean> {
  const { database, chain, log } = tools;
  let isNew = false;
  const open = listOpenSpends(database, chain.network);
  agreed.keep(open);
  await forEachBounded(open, AT_ONCE, async (spend) => {
    const spent = findSpent(database, spend);
    if (!spent) {
      isNew ||= await agreeOnDeath(tools, spend, agreed);
      return;
    }
    if (spent.height > finalHeight || agreed.has(tools, spend)) return;
    const version = listVersions(database, spend.id).find(({ txHash }) => txHash === spent.txHash);
    const isPaid = findPaid(database, spend) !== undefined;
    const event = { id: spend.id, network: chain.network, txHash: spent.txHash };
    const name = isPaid ? 'payout_doubted' : 'refusal_doubted';
    try {
      // What only a person can decide needs no second node.
      const isDecided = version === undefined || (!isPaid && !version.cancels && !spent.isReverted);
      const isRight =
        isDecided ||
        (await isAgreed(
          tools,
          { ...spend, ...spent },
          ({ isReverted, moves }) =>
            isPaid ? !isReverted && isAsOrdered(spend, moves) : isReverted || version.cancels,
          (view) => spent.height <= view.finalHeight,
        ));
      if (isRight) {
        agreed.add(tools, spend);
        isNew = true;
      } else log(name, event);
    } catch (error) {
      log(name, { ...event, error: describeError(error) });
    }
  });
  return isNew;
}

/** Asks the second node about a payout whose version is dead by the first. Returns whether they now agree. */
async function agreeOnDeath(
  tools: AgreementTools & SecondLook & { readonly log: Log },
  spend: Spend,
  agreed: AgreedPayouts,
): Promise<boolean> {
  const { database, log } = tools;
  const { id, network, fence } = spend;
  const txHash = listVersions(database, id).at(-1)?.txHash;
  if (fence === null || txHash === undefined || findDeath(database, network, fence) === undefined) return false;
  if (agreed.has(tools, spend)) return false;
  try {
    if (await isAgreedDead(tools, { ...spend, txHash, diesAt: readDeadline(database, network, fence) })) {
      agreed.add(tools, spend);
      return true;
    }
    log('death_doubted', { id, network, txHash });
  } catch (error) {
    log('death_doubted', { id, network, txHash, error: describeError(error) });
  }
  return false;
}
