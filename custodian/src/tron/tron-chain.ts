import { findTokenPayments, findUnlisted, listMoves } from '../evm/transfer-logs.ts';
import { type Listing, type TronNetwork, genesisHashes, listAssets } from '../networks.ts';
import {
  type Chain,
  type Effects,
  type Owner,
  type ScannedBlock,
  type SecondView,
  type SpentFence,
  type Tip,
  countOn,
} from '../nodes/chain.ts';
import { broadcast } from '../nodes/broadcast.ts';
import type { BlockId, Header } from '../states/chain.ts';
import type { TronHeader, TronInfo, TronNode, TronTransactionInBlock } from './tron-node.ts';

/** Blocks come every 3 s. */
const AHEAD = 8;

/** A transaction that the node has already, in its pool or in a block. */
const KNOWN = /^DUP_TRANSACTION_ERROR/;

/** Failures of a limit of the transaction's own: it moved nothing, and another with a higher limit may. */
const starving = ['OUT_OF_ENERGY', 'OUT_OF_TIME'];

/** The transactions whose logs matter. */
const CALLS = /SmartContract$/;

/** How a Tron network is watched. */
export interface TronChainSettings {
  readonly network: TronNetwork;
  readonly node: TronNode;
  /** It must show the same before a deposit counts as confirmed; `undefined` when there is none. */
  readonly secondNode: TronNode | undefined;
  /** The id of the chain's first block, on a chain for tests; the main chain's when it is not given. */
  readonly genesis?: string | undefined;
}

/**
 * Reads and writes a Tron network through its nodes. The fence of a payment is its transaction, `account:id`, which dies at
 * its expiration: nothing else excludes a second one. A block is final when it is solidified.
 */
export function createTronChain(settings: TronChainSettings): Chain {
  const { network, node, secondNode } = settings;
  const listings = listAssets(network);
  return {
    network,
    ahead: AHEAD,
    heightsAfter: (height, tipHeight) => countOn(AHEAD, height, tipHeight),
    tip: () => readTip(settings, node),
    secondView: () => readSecondView(settings),
    headerAt: (height) => node.header(height),
    scan: (header, ownerOf) => scanBlock(node, listings, header, ownerOf),
    finalByTag: async () => (await readSolid(node))?.height ?? -1,
    readAgain: (block, txHash, ownerOf) => readAgain(settings, listings, block, txHash, ownerOf),
    secondHas: async (txHash) => {
      if (!secondNode) throw new Error('there is no second node');
      return (await secondNode.info(txHash)) !== undefined;
    },
    broadcast: (raw) => broadcast(node.sendRaw(raw), KNOWN),
  };
}

/** The newest block. The node behind a name must be of its chain. */
async function readTip({ network, genesis }: TronChainSettings, node: TronNode): Promise<Tip> {
  const [header, first] = await Promise.all([node.header(), node.header(0)]);
  if (!header) throw new Error('the node has no newest block');
  if (first?.hash !== (genesis ?? genesisHashes[network])) {
    throw new Error(`the node of ${network} is of the chain of ${first?.hash}`);
  }
  return { height: header.height, hash: header.hash, mined_ms: header.clock };
}

/**
 * The newest solidified block that is on the node's own chain as well. The two parts of a node may be behind each other, or
 * be two machines: what they do not agree about is not final.
 */
async function readSolid(node: TronNode): Promise<TronHeader | undefined> {
  const [solid, head] = await Promise.all([node.header(undefined, 'walletsolidity'), node.header()]);
  if (!solid || !head) throw new Error('the node has no solidified block');
  const height = Math.min(solid.height, head.height);
  const [ours, theirs] = await Promise.all([
    node.header(height),
    height === solid.height ? solid : node.header(height, 'walletsolidity'),
  ]);
  return ours?.hash === theirs?.hash ? ours : undefined;
}

async function readSecondView(settings: TronChainSettings): Promise<SecondView | undefined> {
  const { secondNode } = settings;
  if (!secondNode) return undefined;
  const [{ height }, solid] = await Promise.all([readTip(settings, secondNode), readSolid(secondNode)]);
  const finalHeight = solid?.height ?? -1;
  return { height, finalHeight, finalByTag: finalHeight, ...(solid && { finalClock: solid.clock }) };
}

async function scanBlock(
  node: TronNode,
  listings: readonly Listing[],
  header: Header,
  ownerOf: (address: string) => Owner | undefined,
): Promise<ScannedBlock> {
  const [transactions, infos] = await Promise.all([node.transactions(header.hash), node.infos(header.height)]);
  // What became of the transactions is asked by the height, and does not name the block.
  if ((await node.header(header.height))?.hash !== header.hash) throw new Error(`block ${header.hash} is gone`);
  const known = new Map(infos.map((info) => [info.txHash, info]));
  const read = transactions.map((transaction) => {
    const info = known.get(transaction.txHash);
    if (!info) {
      if (CALLS.test(transaction.type)) throw new Error(`block ${header.hash} is not whole: logs are missing`);
      return { transaction, info: withoutInfo(transaction, header.height) };
    }
    if ((info.result === 'SUCCESS') !== (transaction.result === 'SUCCESS')) {
      throw new Error(`block ${header.hash} is not whole: ${transaction.txHash} is said to have ended in two ways`);
    }
    return { transaction, info };
  });
  const succeeded = read.filter(({ info }) => info.result === 'SUCCESS');
  return {
    ...header,
    payments: succeeded.flatMap(({ transaction, info }) =>
      findTokenPayments(
        { txHash: info.txHash, fences: [nameFence(transaction)], diesAt: transaction.expiration_ms },
        info.logs,
        listings,
        ownerOf,
      ),
    ),
    spent: read.map(({ transaction, info }) => readSpent(transaction, info, ownerOf)),
    notes: succeeded.flatMap(({ info }) => findUnlisted(info.txHash, info.logs, listings, ownerOf)),
  };
}

function withoutInfo({ txHash, result }: TronTransactionInBlock, height: number): TronInfo {
  return { txHash, height, result, fee: 0n, logs: [] };
}

function nameFence({ from, txHash }: TronTransactionInBlock): string {
  return `${from}:${txHash}`;
}

function readSpent(
  transaction: TronTransactionInBlock,
  { txHash, result, fee, logs }: TronInfo,
  ownerOf: (address: string) => Owner | undefined,
): SpentFence {
  const sender = ownerOf(transaction.from)?.account;
  return {
    fence: nameFence(transaction),
    txHash,
    isReverted: result !== 'SUCCESS',
    isStarved: starving.includes(result),
    fee,
    ...(sender && { moves: listMoves(logs, transaction.from), isOwn: sender !== 'cold' }),
  };
}

/** What a transaction did by the second node, which must have it in exactly this block. */
async function readAgain(
  { secondNode }: TronChainSettings,
  listings: readonly Listing[],
  { height, hash }: BlockId,
  txHash: string,
  ownerOf: (address: string) => Owner | undefined,
): Promise<Effects | null> {
  if (!secondNode) throw new Error('there is no second node');
  const info = await secondNode.info(txHash);
  if (info?.height !== height || (await secondNode.header(height))?.hash !== hash) return null;
  const transaction = (await secondNode.transactions(hash)).find((one) => one.txHash === txHash);
  if (!transaction) return null;
  const isReverted = info.result !== 'SUCCESS';
  const payments = isReverted ? [] : findTokenPayments({ txHash, fences: [] }, info.logs, listings, ownerOf);
  return { payments, moves: listMoves(info.logs, transaction.from), isReverted };
}
