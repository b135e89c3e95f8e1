import type { BitcoinNetwork } from '../networks.ts';
import type { BroadcastOutcome, Chain, Owner, Payment, ScannedBlock } from '../nodes/chain.ts';
import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { Header } from '../states/chain.ts';
import type { BitcoinNode, RawTransaction } from './bitcoin-node.ts';

/** What a miner is paid can be spent after so many blocks: the rule of all three chains, Dogecoin's being the longest. */
const COINBASE_MATURITY = 240;

/** The node has it: in its pool, in a block whose outputs are spent, or in one whose outputs are not. */
const KNOWN = /already in (block chain|utxo set)|txn-already-in-mempool|txn-already-known|already known/i;

/** The parent of the first block. */
const NOTHING = '0'.repeat(64);

/** A Bitcoin-like chain through its nodes. Only depth tells what is final. */
export function createBitcoinChain(
  network: BitcoinNetwork,
  node: BitcoinNode,
  secondNode: BitcoinNode | undefined,
): Chain {
  const headerAt = async (height: number): Promise<Header | undefined> => {
    const hash = await node.hashAt(height);
    if (hash === undefined) return undefined;
    const { previousblockhash: parent = NOTHING } = await node.header(hash);
    return { height, hash, parent };
  };
  return {
    network,
    headerAt,
    tip: async () => {
      const tip = await headerAt(await node.height());
      if (!tip) throw new Error('the node has no newest block');
      return tip;
    },
    scan: async (header, ownerOf) => scanBlock(network, header, await node.transactions(header.hash), ownerOf),
    finalByTag: () => Promise.resolve(null),
    agrees: async ({ height, hash }) => secondNode && (await secondNode.hashAt(height)) === hash,
    broadcast: (raw) => broadcast(node, raw),
  };
}

async function broadcast(node: BitcoinNode, raw: string): Promise<BroadcastOutcome> {
  try {
    await node.sendRaw(raw);
    return { kind: 'known' };
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    return KNOWN.test(error.message) ? { kind: 'known' } : { kind: 'rejected', message: error.message };
  }
}

/** All of a block that may be ours. Litecoin's HogEx is a transaction like any other here, its peg-outs are its outputs. */
function scanBlock(
  network: BitcoinNetwork,
  header: Header,
  transactions: readonly RawTransaction[],
  ownerOf: (address: string) => Owner | undefined,
): ScannedBlock {
  const payments = transactions.flatMap((transaction) => findPayments(network, transaction, ownerOf));
  const spent = transactions.flatMap((transaction) =>
    listInputs(transaction).map((fence) => ({ fence, txHash: transaction.txid, isReverted: false })),
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
