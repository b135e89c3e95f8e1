import { type Listing, type SolanaNetwork, listAssets } from '../networks.ts';
import type {
  Chain,
  Effects,
  Move,
  Note,
  Owner,
  Payment,
  ScannedBlock,
  SecondView,
  SpentFence,
  Tip,
  TokenBalance,
} from '../nodes/chain.ts';
import { broadcast } from '../nodes/broadcast.ts';
import type { BlockId, Header } from '../states/chain.ts';
import { TOKEN_PROGRAM, nameFence, readMessage } from './solana-message.ts';
import type { BlockHead, BlockTransaction, SolanaNode, TokenAmount } from './solana-node.ts';

/** A slot takes 0.4 s, and an answer may take half of that. */
const AHEAD = 8;

/** So many slots are asked about at once. */
const RANGE = 500;

/** docs/custody.md, "Which output": token accounts count from 1, as the transaction names them. */
const FIRST_ACCOUNT = 1;

/** A node's words for a transaction that is in a block already. */
const KNOWN = /already been processed/i;

/** From how many lamports on a person is told that a customer sent coins. Less is sent to anybody, as advertising. */
const WORTH_TELLING = 1_000_000;

/** How Solana is watched. */
export interface SolanaChainSettings {
  readonly network: SolanaNetwork;
  readonly node: SolanaNode;
  /** It must show the same before a deposit counts as confirmed; `undefined` when there is none. */
  readonly secondNode: SolanaNode | undefined;
  /** The hash of the chain's first block. */
  readonly genesis: string;
}

type OwnerOf = (address: string) => Owner | undefined;

/**
 * Reads and writes Solana through its nodes. Heights are slots, and not every slot has a block. Only finalized blocks are
 * read, so that each is final when it is seen.
 */
export function createSolanaChain(settings: SolanaChainSettings): Chain {
  const { network, node, secondNode } = settings;
  const listings = listAssets(network);
  return {
    network,
    ahead: AHEAD,
    tip: async () => {
      const [tip] = await Promise.all([readTip(node), checkChain(settings, node)]);
      return tip;
    },
    heightsAfter: async (height, tipHeight) => {
      if (tipHeight <= height) return [];
      const near = await node.slots(height + 1, Math.min(tipHeight, height + RANGE));
      const next = near.length > 0 || tipHeight <= height + RANGE ? near : await node.slots(height + 1, tipHeight);
      return next.toSorted((one, other) => one - other).slice(0, AHEAD);
    },
    headerAt: async (height) => {
      const head = await node.head(height);
      return head && readHeader(height, head);
    },
    scan: (header, ownerOf) => scanBlock(node, listings, header, ownerOf),
    finalByTag: () => node.slot(),
    secondView: async () => (secondNode ? readSecondView(settings, secondNode) : undefined),
    readAgain: (block, txHash, ownerOf) => readAgain(secondNode, listings, block, txHash, ownerOf),
    secondHas: async (txHash) => {
      if (!secondNode) throw new Error('there is no second node');
      return (await secondNode.transaction(txHash)) !== undefined;
    },
    broadcast: (raw) => broadcast(node.send(raw), KNOWN),
  };
}

function readHeader(height: number, { blockhash, previousBlockhash, parentSlot, blockHeight }: BlockHead): Header {
  const header = { height, hash: blockhash, parent: previousBlockhash, parentHeight: parentSlot };
  return blockHeight === null ? header : { ...header, clock: blockHeight };
}

async function readTip(node: SolanaNode): Promise<Tip> {
  const height = await node.slot();
  const head = await node.head(height);
  if (!head) throw new Error(`the node does not have the block of its newest slot ${height}`);
  return { height, hash: head.blockhash, mined_ms: (head.blockTime ?? 0) * 1000 };
}

/** The node behind a name must be of its chain: else another coin would be credited as this one. */
async function checkChain({ network, genesis }: SolanaChainSettings, node: SolanaNode): Promise<void> {
  const first = await node.genesis();
  if (first !== genesis) throw new Error(`the chain of the node of ${network} begins with ${first}, not ${genesis}`);
}

async function readSecondView(settings: SolanaChainSettings, node: SolanaNode): Promise<SecondView> {
  const [height, finalClock] = await Promise.all([node.slot(), node.blockHeight(), checkChain(settings, node)]);
  return { height, finalHeight: height, finalByTag: height, finalClock };
}

async function scanBlock(
  node: SolanaNode,
  listings: readonly Listing[],
  header: Header,
  ownerOf: OwnerOf,
): Promise<ScannedBlock> {
  const block = await node.block(header.height);
  if (block.blockhash !== header.hash) throw new Error(`slot ${header.height} has another block than before`);
  const payments: Payment[] = [];
  const spent: SpentFence[] = [];
  const notes: Note[] = [];
  const balances: TokenBalance[] = [];
  for (const one of block.transactions) {
    const changes = listChanges(one.meta);
    payments.push(...findPayments(nameOf(one), changes, listings, ownerOf));
    notes.push(...findOthers(one, changes, listings, ownerOf));
    balances.push(...findBalances(one, changes, listings, ownerOf));
    if (one.transaction.accountKeys.some(({ pubkey, signer }) => signer && ownerOf(pubkey)?.account === 'hot')) {
      spent.push(await readOurs(node, header, one, changes));
    }
  }
  return { ...header, payments, spent, notes, balances };
}

function nameOf({ transaction }: BlockTransaction): string {
  return transaction.signatures[0] ?? '';
}

/** A token account before and after a transaction. It has no owner before it is made, and none after it is closed. */
interface Change {
  readonly place: number;
  readonly mint: string;
  /** Whether its program is the classic one. A token of another is another token, whatever its name. */
  readonly isClassic: boolean;
  readonly ownerBefore: string | undefined;
  readonly owner: string | undefined;
  readonly before: bigint;
  readonly after: bigint;
}

function listChanges({ preTokenBalances, postTokenBalances }: BlockTransaction['meta']): Change[] {
  const places = [...new Set([...preTokenBalances, ...postTokenBalances].map(({ accountIndex }) => accountIndex))];
  return places.flatMap((place) => {
    const [pre, post] = [findAmount(preTokenBalances, place), findAmount(postTokenBalances, place)];
    const known = post ?? pre;
    if (!known) return [];
    return {
      place,
      mint: known.mint,
      isClassic: known.programId === TOKEN_PROGRAM,
      ownerBefore: pre?.owner,
      owner: post?.owner,
      before: BigInt(pre?.uiTokenAmount.amount ?? 0),
      after: BigInt(post?.uiTokenAmount.amount ?? 0),
    };
  });
}

function findAmount(list: readonly TokenAmount[], place: number): TokenAmount | undefined {
  return list.find(({ accountIndex }) => accountIndex === place);
}

/** By how much a change raised what its owner has. An account that somebody else had before counts as a whole. */
function gainOf({ owner, ownerBefore, before, after }: Change): bigint {
  return owner === ownerBefore ? after - before : after;
}

function findListed(listings: readonly Listing[], { mint, isClassic }: Change): Listing | undefined {
  return isClassic ? listings.find(({ contractAddress }) => contractAddress === mint) : undefined;
}

function findPayments(
  txHash: string,
  changes: readonly Change[],
  listings: readonly Listing[],
  ownerOf: OwnerOf,
): Payment[] {
  return changes.flatMap((change): Payment[] => {
    const owner = change.owner === undefined ? undefined : ownerOf(change.owner);
    const listing = findListed(listings, change);
    const atoms = gainOf(change);
    if (owner?.account !== 'deposit' || !listing || atoms <= 0n) return [];
    return [
      {
        txHash,
        outputIndex: FIRST_ACCOUNT + change.place,
        address: owner.address,
        account: owner.account,
        addressIndex: owner.addressIndex,
        asset: listing.asset,
        contract: listing.contractAddress,
        atoms,
        isDeposit: true,
        isCoin: false,
        isInner: false,
        // Its block is final, so nothing can displace it.
        fences: [],
      },
    ];
  });
}

/** What arrived at a customer's address and is no asset of Bureau: one note for each transaction. */
function findOthers(
  { transaction, meta }: BlockTransaction,
  changes: readonly Change[],
  listings: readonly Listing[],
  ownerOf: OwnerOf,
): Note[] {
  const txHash = transaction.signatures[0] ?? '';
  for (const change of changes) {
    const owner = change.owner === undefined ? undefined : ownerOf(change.owner);
    const atoms = gainOf(change);
    if (owner?.account !== 'deposit' || atoms <= 0n || findListed(listings, change)) continue;
    const fields = { txHash, contract: change.mint, address: owner.address, atoms: String(atoms) };
    return [{ event: 'token_not_listed', fields }];
  }
  for (const [place, { pubkey }] of transaction.accountKeys.entries()) {
    const gain = (meta.postBalances[place] ?? 0) - (meta.preBalances[place] ?? 0);
    if (gain < WORTH_TELLING || ownerOf(pubkey)?.account !== 'deposit') continue;
    return [{ event: 'coin_not_listed', fields: { txHash, address: pubkey, atoms: String(gain) } }];
  }
  return [];
}

/** The token accounts of ours that a transaction changed. */
function findBalances(
  { transaction }: BlockTransaction,
  changes: readonly Change[],
  listings: readonly Listing[],
  ownerOf: OwnerOf,
): TokenBalance[] {
  return changes.flatMap((change): TokenBalance[] => {
    const listing = findListed(listings, change);
    const account = transaction.accountKeys[change.place]?.pubkey;
    const now = change.owner === undefined ? undefined : ownerOf(change.owner);
    const before = change.ownerBefore === undefined ? undefined : ownerOf(change.ownerBefore);
    const owner = now ?? before;
    if (!listing || !owner || account === undefined) return [];
    return [{ account, owner, asset: listing.asset, atoms: now ? change.after : 0n }];
  });
}

/**
 * A transaction that the hot wallet signed. Its fence is in its message, which the block does not show. One that failed has
 * used its nonce all the same; but an account that it did not make can still be made.
 */
async function readOurs(
  node: SolanaNode,
  { height }: BlockId,
  one: BlockTransaction,
  changes: readonly Change[],
): Promise<SpentFence> {
  const txHash = nameOf(one);
  const found = await node.transaction(txHash);
  if (found?.slot !== height) throw new Error(`the node does not have the transaction ${txHash} of its block`);
  const isReverted = one.meta.err != null;
  const fence = nameFence(readMessage(found.bytes));
  return {
    fence: isReverted && fence.endsWith(':new') ? `failed:${txHash}` : fence,
    txHash,
    isReverted,
    fee: BigInt(one.meta.fee),
    moves: listMoves(changes),
    isOwn: true,
  };
}

/** What each wallet gained. A transfer that somebody takes a part of shows as less. */
function listMoves(changes: readonly Change[]): Move[] {
  return changes.flatMap((change) => {
    const atoms = gainOf(change);
    if (change.owner === undefined || !change.isClassic || atoms <= 0n) return [];
    return [{ contract: change.mint, to: change.owner, atoms: String(atoms) }];
  });
}

/** A block's hash is not computed here, so a second node is asked for the transaction itself. */
async function readAgain(
  secondNode: SolanaNode | undefined,
  listings: readonly Listing[],
  { height, hash }: BlockId,
  txHash: string,
  ownerOf: OwnerOf,
): Promise<Effects | null> {
  if (!secondNode) throw new Error('there is no second node');
  const [head, found] = await Promise.all([secondNode.head(height), secondNode.transaction(txHash)]);
  if (head?.blockhash !== hash || found?.slot !== height) return null;
  const changes = listChanges(found.meta);
  return {
    payments: findPayments(txHash, changes, listings, ownerOf),
    moves: listMoves(changes),
    isReverted: found.meta.err != null,
  };
}
