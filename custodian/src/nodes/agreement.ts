import { parseAmount } from '../../../src/money/amounts.ts';
import { findListing } from '../networks.ts';
import { readBlockHash } from '../store/chain-state.ts';
import type { Database } from '../store/database.ts';
import type { Chain, Effects, Owner, SecondView } from './chain.ts';

/** What a second node is asked with. */
export interface AgreementTools {
  readonly database: Database;
  readonly chain: Chain;
  readonly ownerOf: (address: string) => Owner | undefined;
  /** By asset: the amount from which the second node must agree (see `config.ts`). */
  readonly agreeFrom: Readonly<Record<string, string>>;
}

/** The second node's own end of the chain, which is asked for once in a round. */
export interface SecondLook {
  readonly secondView: () => Promise<SecondView | undefined>;
}

/** Asks for the second node's view at most once, also when it does not answer. */
export function lookOnce(chain: Chain): SecondLook {
  let asked: Promise<SecondView | undefined> | undefined;
  return {
    secondView: () => {
      asked ??= chain.secondView();
      return asked;
    },
  };
}

/** A transaction in a block, as the first node showed it. */
export interface Sighting {
  readonly txHash: string;
  readonly height: number;
  readonly asset: string;
  readonly atoms: bigint;
  /** Whether only a trace shows it, as a payment that a contract makes within the transaction. */
  readonly isInner?: boolean;
}

/**
 * Whether what the first node showed may be relied on. Below the bound of its asset it may. From there on the second
 * node must show the same transaction in the same block with the same effect, and by its own view of the chain that block
 * must be deep enough; without a second node it may never be relied on, unless the asset has no bound. Rejects when the
 * second node does not answer.
 */
export async function isAgreed(
  tools: AgreementTools & SecondLook,
  { txHash, height, asset, atoms, isInner = false }: Sighting,
  isSame: (effects: Effects) => boolean,
  isDeepEnough: (view: SecondView) => boolean,
): Promise<boolean> {
  const { database, chain, ownerOf } = tools;
  const view = await viewIfAsked(tools, asset, atoms);
  if (typeof view === 'boolean') return view;
  if (!isDeepEnough(view)) return false;
  // A block without a stored hash is none that another node could have.
  const hash = readBlockHash(database, chain.network, height) ?? '';
  const effects = await chain.readAgain({ height, hash }, txHash, ownerOf, isInner);
  return effects !== null && isSame(effects);
}

/**
 * Whether a transaction that the first node has in none of its blocks, and that none can have after `diesAt`, is dead by the
 * second as well, where that must be asked: its newest final block is later, and it does not have the transaction.
 */
export async function isAgreedDead(
  tools: AgreementTools & SecondLook,
  { txHash, asset, atoms, diesAt }: Omit<Sighting, 'height'> & { readonly diesAt: number },
): Promise<boolean> {
  const view = await viewIfAsked(tools, asset, atoms);
  if (typeof view === 'boolean') return view;
  if (!tools.chain.secondHas || view.finalClock === undefined || view.finalClock <= diesAt) return false;
  return !(await tools.chain.secondHas(txHash));
}

/** The second node's view, or what counts without it: whether the amount needs none, or no second node was wanted. */
async function viewIfAsked(
  { chain, agreeFrom, secondView }: AgreementTools & SecondLook,
  asset: string,
  atoms: bigint,
): Promise<SecondView | boolean> {
  const bound = parseAmount(agreeFrom[asset] ?? '0', findListing(chain.network, asset)?.decimals ?? 0) ?? 0n;
  if (atoms < bound) return true;
  return (await secondView()) ?? bound === 0n;
}
