import { type BitcoinNode } from '../bitcoin/bitcoin-node.ts';
import { estimateSize, feeFor, readFeeRate } from '../bitcoin/fees.ts';
import type { BitcoinSettings } from '../config.ts';
import type { EvmNode } from '../evm/evm-node.ts';
import { estimate, readFees } from '../evm/evm-payer.ts';
import { writeTransfer } from '../evm/token-transfer.ts';
import { accountOf } from '../account-address.ts';
import type { TronNode } from '../tron/tron-node.ts';
import { estimateFeeLimit } from '../tron/tron-payer.ts';
import {
  type BitcoinNetwork,
  type EvmNetwork,
  type TronNetwork,
  bitcoinRules,
  chainIds,
  findListing,
  gasBoundOf,
  usualGasBounds,
} from '../networks.ts';
import type { BitcoinTransaction } from '../signer/requests.ts';
import { scriptOf } from '../store/watched.ts';
import { COLD_KEY, type ColdRequest } from './cold-request.ts';

/** A payment to plan: from, to, asset and amount. */
export interface ColdTransfer {
  readonly cold: string;
  readonly hot: string;
  readonly asset: string;
  readonly atoms: bigint;
}

/** Makes the request of an EVM network. It becomes useless when the cold wallet sends something else or fees double. */
export async function planEvmCold(
  node: EvmNode,
  network: EvmNetwork,
  { cold, hot, asset, atoms }: ColdTransfer,
): Promise<ColdRequest> {
  const contract = findListing(network, asset)?.contractAddress ?? null;
  const payment =
    contract === null
      ? { to: hot, value: String(atoms), data: '0x' }
      : { to: contract, value: '0', data: writeTransfer(hot, atoms) };
  const [fees, nonce, gas] = await Promise.all([
    readFees(node),
    node.transactionCount(cold),
    estimate(node, { from: cold, ...payment }, gasBoundOf(usualGasBounds(network), payment.data)),
  ]);
  if (typeof gas !== 'bigint')
    throw new Error('the network would not take this payment; has the cold address so much?');
  const transaction = {
    chainId: String(chainIds[network]),
    nonce: String(nonce),
    ...payment,
    gasLimit: String(gas),
    maxFeePerGas: String(fees.maxFeePerGas),
    maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
  };
  return { kind: 'evm', network, transaction };
}

/** A request is carried by hand, and Tron takes a transaction for a day at most. */
const COLD_EXPIRATION_MS = 12 * 3_600_000;

/** Makes the request of Tron. It must be sent within twelve hours. */
export async function planTronCold(
  node: TronNode,
  network: TronNetwork,
  { cold, hot, asset, atoms }: ColdTransfer,
): Promise<ColdRequest> {
  const contract = findListing(network, asset)?.contractAddress;
  if (!contract) throw new Error(`${network} has no ${asset}`);
  const data = writeTransfer(accountOf(network, hot), atoms);
  const [solid, head, limit] = await Promise.all([
    node.header(undefined, 'walletsolidity'),
    node.header(),
    estimateFeeLimit(node, contract, cold, data),
  ]);
  if (!solid || !head) throw new Error('the node has no newest block');
  if (limit === undefined) throw new Error('the network would not take this payment; has the cold address so much?');
  const transaction = {
    to: contract,
    value: '0',
    data,
    feeLimit: String(limit),
    refBlock: solid.hash,
    expiration_ms: String(head.clock + COLD_EXPIRATION_MS),
    timestamp_ms: String(head.clock),
  };
  return { kind: 'tron', network, transaction };
}

/** Makes the request of a Bitcoin-like chain from the coins that the node finds at the cold address. */
export async function planBitcoinCold(
  node: BitcoinNode,
  network: BitcoinNetwork,
  feeRate: BitcoinSettings['feeRate'],
  { cold, hot, atoms }: ColdTransfer,
): Promise<ColdRequest> {
  const rules = bitcoinRules[network];
  const rate = await readFeeRate(node, feeRate);
  const inputs: BitcoinTransaction['inputs'] = [];
  let sum = 0n;
  for (const coin of await node.listUnspent(scriptOf(network, cold))) {
    // The offline machine believes the amount of a coin only by this.
    const previous = await node.rawTransaction(coin.txid);
    inputs.push({ txid: coin.txid, vout: coin.vout, atoms: String(coin.atoms), key: COLD_KEY, previous });
    sum += coin.atoms;
    const change = sum - atoms - feeFor(rate, estimateSize(network, inputs.length, [hot, cold]));
    if (change < 0n) continue;
    const paid = { address: hot, atoms: String(atoms) };
    const outputs = change < rules.dust ? [paid] : [paid, { address: cold, atoms: String(change) }];
    return { kind: 'bitcoin', network, transaction: { inputs, outputs } };
  }
  throw new Error(`the cold address has ${sum} atoms: too little`);
}
