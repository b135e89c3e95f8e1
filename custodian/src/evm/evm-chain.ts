import { type EvmNetwork, type Listing, chainIds, listAssets } from '../networks.ts';
import {
  type Chain,
  type Effects,
  type Note,
  type Owner,
  type Payment,
  type ScannedBlock,
  type SecondView,
  type SpentFence,
  type Tip,
  countOn,
} from '../nodes/chain.ts';
import { broadcast } from '../nodes/broadcast.ts';
import type { BlockId, Header } from '../states/chain.ts';
import { findTokenPayments, findUnlisted, listMoves, payDeposit } from './transfer-logs.ts';
import {
  type EvmBlock,
  type EvmNode,
  type BlockTransaction,
  type Receipt,
  type Trace,
  type TracedCall,
  isSigned,
} from './evm-node.ts';

/** docs/custody.md, "Which output": the value is 0, logs count from 1, inner payments from 2^31. */
const FIRST_INNER = 2 ** 31;

/**
 * One after the other, a chain of four blocks a second would never be read to its end from a node that is 130 ms away.
 */
const AHEAD = 16;

/** A validator's withdrawal is counted in gwei. */
const ATOMS_PER_GWEI = 10n ** 9n;

/** A transaction of which only the receipt is known. */
const MADE_BY_CHAIN = { from: '', to: null, value: 0n, nonce: 0n, type: -1 };

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
  /** How deep a block must be to be final, where there is no such tag. */
  readonly finalDepth: number;
  /** Whether the nodes can trace transactions, so that inner payments are seen. */
  readonly hasTraces: boolean;
}

/** Reads and writes an EVM network through its nodes. */
export function createEvmChain(settings: EvmChainSettings): Chain {
  const { network, node, finalTag } = settings;
  const listings = listAssets(network);
  return {
    network,
    ahead: AHEAD,
    tip: async () => {
      const [header] = await Promise.all([node.header('latest'), checkChain(network, node)]);
      return readTip(header);
    },
    secondView: () => readSecondView(settings),
    heightsAfter: (height, tipHeight) => countOn(AHEAD, height, tipHeight),
    headerAt: async (height) => {
      const header = await node.header(height);
      return header && { height: header.number, hash: header.hash, parent: header.parentHash };
    },
    scan: (header, ownerOf) => scanBlock(settings, listings, header, ownerOf),
    finalByTag: async () => (finalTag === null ? null : ((await node.header(finalTag))?.number ?? -1)),
    readAgain: (block, txHash, ownerOf, withInner) => readAgain(settings, listings, block, txHash, ownerOf, withInner),
    broadcast: (raw) => broadcast(node.sendRaw(raw), KNOWN),
  };
}

function readTip(header: Awaited<ReturnType<EvmNode['header']>>): Tip {
  if (!header) throw new Error('the node has no newest block');
  return { height: header.number, hash: header.hash, mined_ms: header.timestamp * 1000 };
}

/** The node behind a name must be of its chain: else another coin would be credited as this one. */
async function checkChain(network: EvmNetwork, node: EvmNode): Promise<void> {
  const id = await node.chainId();
  if (id !== chainIds[network]) throw new Error(`the node of ${network} is of chain ${id}, not ${chainIds[network]}`);
}

async function readSecondView({
  network,
  secondNode,
  finalTag,
  finalDepth,
}: EvmChainSettings): Promise<SecondView | undefined> {
  if (!secondNode) return undefined;
  const [header, tagged] = await Promise.all([
    secondNode.header('latest'),
    finalTag === null ? undefined : secondNode.header(finalTag),
    checkChain(network, secondNode),
  ]);
  const { height } = readTip(header);
  const finalByTag = finalTag === null ? null : (tagged?.number ?? -1);
  return { height, finalByTag, finalHeight: Math.min(height, finalByTag ?? height - finalDepth + 1) };
}

/** What a transaction cost its sender; `null` when the receipt does not say it. */
function readFee({ gasUsed, effectiveGasPrice, l1Fee = 0n }: Receipt): bigint | null {
  return effectiveGasPrice === undefined ? null : gasUsed * effectiveGasPrice + l1Fee;
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
    hasTraces ? node.traces(header.hash) : undefined,
  ]);
  const received = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
  const traceOf = traces ? matchTraces(block, traces) : () => undefined;
  const spent: SpentFence[] = [];
  const payments: Payment[] = [];
  const notes: Note[] = findOtherPayments(block, ownerOf);
  for (const transaction of listAll(block, receipts)) {
    const { hash: txHash, from, nonce } = transaction;
    const receipt = received.get(txHash);
    if (!receipt && isSigned(transaction)) throw new Error(`block ${header.hash} is not whole: receipts are missing`);
    if (!receipt) continue;
    const isReverted = receipt.status !== 1n;
    if (isSigned(transaction)) {
      spent.push({
        fence: `${from}:${nonce}`,
        txHash,
        isReverted,
        fee: readFee(receipt),
        ...(ownerOf(from) && { moves: listMoves(receipt.logs, from) }),
      });
    }
    // A reverted transaction moved nothing, even if its trace shows payments.
    if (isReverted) continue;
    const trace = traceOf(transaction);
    if (hasTraces && !trace && isSigned(transaction))
      notes.push({ event: 'inner_payments_unread', fields: { txHash } });
    payments.push(...findPayments(transaction, receipt, trace, listings, ownerOf));
    notes.push(...findUnlisted(txHash, receipt.logs, listings, ownerOf));
  }
  return { ...header, payments, spent, notes };
}

/** A block's transactions, and those of which some nodes give only the receipt, because the chain itself made them. */
function listAll({ transactions }: EvmBlock, receipts: readonly Receipt[]): BlockTransaction[] {
  const known = new Set(transactions.map(({ hash }) => hash));
  const others = receipts.filter(({ transactionHash }) => !known.has(transactionHash));
  return [...transactions, ...others.map(({ transactionHash }) => ({ ...MADE_BY_CHAIN, hash: transactionHash }))];
}

/** Finds the trace of a transaction: by its hash, or by its place where a node does not name it. */
function matchTraces({ transactions, hash }: EvmBlock, traces: readonly Trace[]) {
  const named = new Map(traces.flatMap(({ txHash, call }) => (txHash === undefined ? [] : [[txHash, call] as const])));
  const signed = transactions.filter(isSigned);
  if (signed.every((transaction) => named.has(transaction.hash))) {
    return (transaction: BlockTransaction) => named.get(transaction.hash);
  }
  const traced = [transactions, signed].find(({ length }) => length === traces.length);
  if (!traced) throw new Error(`block ${hash} is not whole: traces are missing`);
  const places = new Map(traced.map((transaction, place) => [transaction.hash, traces[place]?.call]));
  return (transaction: BlockTransaction) => places.get(transaction.hash);
}

/** Payments to us that no transaction makes, so that nothing can be reported about them: validators' withdrawals. */
function findOtherPayments({ withdrawals, number }: EvmBlock, ownerOf: (address: string) => Owner | undefined): Note[] {
  return withdrawals.flatMap(({ address, amount }) => {
    if (!ownerOf(address)) return [];
    const fields = { height: number, address, atoms: String(amount * ATOMS_PER_GWEI) };
    return [{ event: 'payment_without_transaction', fields }];
  });
}

function findPayments(
  transaction: BlockTransaction,
  receipt: Receipt,
  trace: TracedCall | undefined,
  listings: readonly Listing[],
  ownerOf: (address: string) => Owner | undefined,
): Payment[] {
  // No deposits: gas that our own gas key sends, and payments to other addresses of ours, such as the hot wallet.
  if (ownerOf(transaction.from)?.account === 'gas') return [];
  const coin = listings.find(({ contractAddress }) => contractAddress === null);
  const { hash: txHash, from, nonce, to, value } = transaction;
  const paying = { txHash, fences: isSigned(transaction) ? [`${from}:${nonce}`] : [] };
  const inner = listInnerCalls(trace).flatMap((call, position) =>
    call.to ? payDeposit(paying, FIRST_INNER + position, ownerOf(call.to), call.value ?? 0n, coin) : [],
  );
  return [
    ...(to ? payDeposit(paying, 0, ownerOf(to), value, coin) : []),
    ...findTokenPayments(paying, receipt.logs, listings, ownerOf),
    ...inner.map((payment) => ({ ...payment, isInner: true })),
  ];
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
): Promise<Effects | null> {
  if (!secondNode) throw new Error('there is no second node');
  const [transaction, receipt] = await Promise.all([secondNode.transaction(txHash), secondNode.receipt(txHash)]);
  if (!transaction || receipt?.blockHash !== block.hash) return null;
  const isReverted = receipt.status !== 1n;
  const trace = withInner && !isReverted ? await secondNode.trace(txHash) : undefined;
  const payments = isReverted ? [] : findPayments(transaction, receipt, trace, listings, ownerOf);
  return { payments, moves: listMoves(receipt.logs, transaction.from), isReverted };
}

/** The calls within a transaction that may move value. A failed call is left out, and so are all calls below it. */
function listInnerCalls(trace: TracedCall | undefined): TracedCall[] {
  const listCalls = (call: TracedCall): TracedCall[] =>
    call.error == null ? [call, ...(call.calls ?? []).flatMap(listCalls)] : [];
  const [, ...inner] = trace ? listCalls(trace) : [];
  return inner.filter(({ type }) => payingCalls.includes(type));
}
