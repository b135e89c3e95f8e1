import { type EvmNetwork, type Listing, listAssets } from '../networks.ts';
import type { BroadcastOutcome, Chain, Effects, Owner, Payment, ScannedBlock, Tip } from '../nodes/chain.ts';
import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { BlockId, Header } from '../states/chain.ts';
import type { EvmBlock, EvmNode, Receipt, TracedCall } from './evm-node.ts';

/** `Transfer(address,address,uint256)` of ERC-20. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** docs/custody.md, "Which output": the value is 0, logs count from 1, inner payments from 2^31. */
const FIRST_LOG = 1;
const FIRST_INNER = 2 ** 31;

/** The calls that move their value to the address they name. Others, such as DELEGATECALL, move none there. */
const payingCalls = ['CALL', 'SELFDESTRUCT'];

/** The errors of geth and anvil for a transaction that the node has already, or that is in a block. */
const KNOWN = /already known|already imported|known transaction|nonce too low/i;

/** How an EVM network is watched. */
export interface EvmChainSettings {
  readonly network: EvmNetwork;
  readonly node: EvmNode;
  /** It must show the same before a deposit counts as confirmed; `undefined` when there is none. */
  readonly secondNode: EvmNode | undefined;
  /** The tag by which the chain says that a block is final; `null` when depth decides. */
  readonly finalTag: 'safe' | 'finalized' | null;
  /** Whether the nodes can trace transactions, so that inner payments are seen. */
  readonly hasTraces: boolean;
}

/** Reads and writes an EVM network through its nodes. */
export function createEvmChain(settings: EvmChainSettings): Chain {
  const { network, node, finalTag } = settings;
  const listings = listAssets(network);
  return {
    network,
    tip: async () => readTip(await node.header('latest')),
    headerAt: async (height) => {
      const header = await node.header(height);
      return header && { height: header.number, hash: header.hash, parent: header.parentHash };
    },
    scan: (header, ownerOf) => scanBlock(settings, listings, header, ownerOf),
    finalByTag: async () => (finalTag === null ? null : ((await node.header(finalTag))?.number ?? -1)),
    readAgain: (block, txHash, ownerOf, withInner) => readAgain(settings, listings, block, txHash, ownerOf, withInner),
    broadcast: (raw) => broadcast(node, raw),
  };
}

function readTip(header: Awaited<ReturnType<EvmNode['header']>>): Tip {
  if (!header) throw new Error('the node has no newest block');
  return { height: header.number, hash: header.hash, mined_ms: header.timestamp * 1000 };
}

/** What a transaction cost its sender; `null` when the receipt does not say it. */
function readFee({ gasUsed, effectiveGasPrice, l1Fee = 0n }: Receipt): bigint | null {
  return effectiveGasPrice === undefined ? null : gasUsed * effectiveGasPrice + l1Fee;
}

async function broadcast(node: EvmNode, raw: string): Promise<BroadcastOutcome> {
  try {
    await node.sendRaw(raw);
    return { kind: 'known' };
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    return KNOWN.test(error.message) ? { kind: 'known' } : { kind: 'rejected', message: error.message };
  }
}

async function scanBlock(
  { node, hasTraces }: EvmChainSettings,
  listings: readonly Listing[],
  header: Header,
  ownerOf: (address: string) => Owner | undefined,
): Promise<ScannedBlock> {
  const [block, receipts, traces] = await Promise.all([
    node.block(header.hash),
    node.receipts(header.hash),
    hasTraces ? node.traces(header.hash) : [],
  ]);
  const { transactions } = block;
  const isWhole = receipts.length === transactions.length && (!hasTraces || traces.length === transactions.length);
  if (!isWhole) throw new Error(`block ${header.hash} is not whole: receipts or traces are missing`);
  const spent = transactions.map(({ hash, from, nonce }, position) => {
    const receipt = receipts[position];
    const fee = receipt ? readFee(receipt) : null;
    return { fence: `${from}:${nonce}`, txHash: hash, isReverted: receipt?.status !== 1n, fee };
  });
  const payments = transactions.flatMap((transaction, position) => {
    const receipt = receipts[position];
    if (receipt?.transactionHash !== transaction.hash) throw new Error('receipts are in another order');
    // A reverted transaction moved nothing, even if its trace shows payments.
    if (receipt.status !== 1n) return [];
    return findPayments(transaction, receipt, traces[position], listings, ownerOf);
  });
  return { ...header, payments, spent };
}

function findPayments(
  transaction: EvmBlock['transactions'][number],
  receipt: Receipt,
  trace: TracedCall | undefined,
  listings: readonly Listing[],
  ownerOf: (address: string) => Owner | undefined,
): Payment[] {
  const coin = listings.find(({ contractAddress }) => contractAddress === null);
  const pay = (outputIndex: number, to: string, atoms: bigint, listing: Listing | undefined): Payment[] => {
    const owner = ownerOf(to);
    // No deposits: gas that our own gas key sends, and payments to other addresses of ours, such as the hot wallet.
    if (owner?.account !== 'deposit' || atoms === 0n || !listing) return [];
    if (ownerOf(transaction.from)?.account === 'gas') return [];
    return [
      {
        txHash: transaction.hash,
        outputIndex,
        address: owner.address,
        account: owner.account,
        addressIndex: owner.addressIndex,
        asset: listing.asset,
        contract: listing.contractAddress,
        atoms,
        isDeposit: true,
        isCoin: false,
        isInner: outputIndex >= FIRST_INNER,
        fences: [`${transaction.from}:${transaction.nonce}`],
      },
    ];
  };
  const value = transaction.to ? pay(0, transaction.to, transaction.value, coin) : [];
  const logs = receipt.logs.flatMap(({ address, topics, data }, position) => {
    const [topic, , to] = topics;
    const listing = listings.find(({ contractAddress }) => contractAddress?.toLowerCase() === address);
    if (topic !== TRANSFER_TOPIC || topics.length !== 3 || !to || data.length !== 66) return [];
    return pay(FIRST_LOG + position, `0x${to.slice(-40)}`, BigInt(data), listing);
  });
  const inner = listInnerCalls(trace).flatMap(({ to, value: atoms }, position) =>
    to === undefined ? [] : pay(FIRST_INNER + position, to, atoms ?? 0n, coin),
  );
  return [...value, ...logs, ...inner];
}

/**
 * A block's hash covers what is in it, but the custodian does not compute it. So a second node is asked for the
 * transaction itself: the first could show true hashes and a payment that is not there.
 */
async function readAgain(
  { secondNode }: EvmChainSettings,
  listings: readonly Listing[],
  block: BlockId,
  txHash: string,
  ownerOf: (address: string) => Owner | undefined,
  withInner: boolean,
): Promise<Effects | null | undefined> {
  if (!secondNode) return undefined;
  const [transaction, receipt] = await Promise.all([secondNode.transaction(txHash), secondNode.receipt(txHash)]);
  if (!transaction || receipt?.blockHash !== block.hash) return null;
  const isReverted = receipt.status !== 1n;
  const trace = withInner && !isReverted ? await secondNode.trace(txHash) : undefined;
  const payments = isReverted ? [] : findPayments(transaction, receipt, trace, listings, ownerOf);
  return { payments, isReverted };
}

/** The calls within a transaction that may move value. A failed call is left out, and so are all calls below it. */
function listInnerCalls(trace: TracedCall | undefined): TracedCall[] {
  const listCalls = (call: TracedCall): TracedCall[] =>
    call.error === undefined ? [call, ...(call.calls ?? []).flatMap(listCalls)] : [];
  const [, ...inner] = trace ? listCalls(trace) : [];
  return inner.filter(({ type }) => payingCalls.includes(type));
}
