import { type BitcoinNetwork, genesisHashes } from '../networks.ts';
import {
  type Chain,
  type Effects,
  type Owner,
  type Payment,
  type ScannedBlock,
  type Tip,
  countOn,
} from '../nodes/chain.ts';
import { broadcast } from '../nodes/broadcast.ts';
import type { BlockId, Header } from '../states/chain.ts';
import type { BitcoinNode, RawTransaction } from './bitcoin-node.ts';

/** After how many blocks a miner's reward can be spent: the longest of the three chains, Dogecoin's. */
const COINBASE_MATURITY = 240;

/** Such a node queues 16 requests, of all its callers together, and refuses more. */
const AHEAD = 4;

/** The errors for a transaction that the node has already, in its pool or in a block. */
const KNOWN = /already in (block chain|utxo set)|txn-already-in-mempool|txn-already-known|already known/i;

/** The hash that the first block of a chain names as its parent. */
const NOTHING = '0'.repeat(64);

/** Reads and writes a Bitcoin-like chain through its nodes. Depth alone decides what is final. */
export function createBitcoinChain(
  network: BitcoinNetwork,
  node: BitcoinNode,
  secondNode: BitcoinNode | undefined,
  {
    genesis = genesisHashes[network],
    finalDepth,
  }: { readonly genesis?: string | undefined; readonly finalDepth: number },
): Chain {
  const headerAt = async (height: number): Promise<(Header & Tip) | undefined> => {
    const hash = await node.hashAt(height);
    if (hash === undefined) return undefined;
    const { previousblockhash: parent = NOTHING, time } = await node.header(hash);
    return { height, hash, parent, mined_ms: time * 1000 };
  };
  return {
    network,
    ahead: AHEAD,
    heightsAfter: (height, tipHeight) => countOn(AHEAD, height, tipHeight),
    headerAt,
    secondView: async () => {
      if (!secondNode) return undefined;
      const [height] = await Promise.all([secondNode.height(), checkChain(network, secondNode, genesis)]);
      return { height, finalByTag: null, finalHeight: height - finalDepth + 1 };
    },
    tip: async () => {
      const [height] = await Promise.all([node.height(), checkChain(network, node, genesis)]);
      const tip = await headerAt(height);
      if (!tip) throw new Error('the node has no newest block');
      return tip;
    },
    scan: async (header, ownerOf) => scanBlock(network, header, await node.transactions(header.hash), ownerOf),
    finalByTag: () => Promise.resolve(null),
    readAgain: (block, txHash, ownerOf) => readAgain(network, secondNode, block, txHash, ownerOf),
    broadcast: (raw) => broadcast(node.sendRaw(raw), KNOWN),
  };
}

/** The node behind a name must be of its chain: else another coin would be credited as this one. */
async function checkChain(network: BitcoinNetwork, node: BitcoinNode, genesis: string): Promise<void> {
  const first = await node.hashAt(0);
  if (first !== genesis) throw new Error(`the chain of the node of ${network} begins with ${first}, not ${genesis}`);
}

async function readAgain(
  network: BitcoinNetwork,
  secondNode: BitcoinNode | undefined,
  { height, hash }: BlockId,
  txHash: string,
  ownerOf: (address: string) => Owner | undefined,
): Promise<Effects | null> {
  if (!secondNode) throw new Error('there is no second node');
  if ((await secondNode.hashAt(height)) !== hash) return null;
  const transaction = (await secondNode.transactions(hash)).find(({ txid }) => txid === txHash);
  if (!transaction) return null;
  return { payments: findPayments(network, transaction, ownerOf), isReverted: false };
}

/**
 * Finds our payments in a block. Litecoin's HogEx is an ordinary transaction here; its outputs include the peg-outs.
 */
function scanBlock(
  network: BitcoinNetwork,
  header: Header,
  transactions: readonly RawTransaction[],
  ownerOf: (address: string) => Owner | undefined,
): ScannedBlock {
  const payments = transactions.flatMap((transaction) => findPayments(network, transaction, ownerOf));
  const spent = transactions.flatMap((transaction) =>
    listInputs(transaction).map((fence) => ({ fence, txHash: transaction.txid, isReverted: false, fee: null })),
  );
  return { ...header, payments, spent };
}

function listInputs({ vin }: RawTransaction): string[] {
  return vin.flatMap(({ txid, vout }) => (txid === undefined ? [] : [`${txid}:${vout}`]));
}

function findPayments(
  network: BitcoinNetwork,
  transaction: RawTransaction,
  ownerOf: (address: string) => Owner | undefined,
): Payment[] {
  const isMined = transaction.vin.some(({ coinbase }) => coinbase !== undefined);
  return transaction.vout.flatMap(({ n, value, scriptPubKey }): Payment[] => {
    const owner = ownerOf(scriptPubKey.hex);
    if (!owner || owner.account === 'gas' || value === 0n) return [];
    return [
      {
        txHash: transaction.txid,
        outputIndex: n,
        address: owner.address,
        account: owner.account,
        addressIndex: owner.addressIndex,
        asset: network,
        contract: null,
        atoms: value,
        isDeposit: owner.account === 'deposit',
        isCoin: true,
        maturity: isMined ? COINBASE_MATURITY : 0,
        isInner: false,
        fences: listInputs(transaction),
      },
    ];
  });
}
