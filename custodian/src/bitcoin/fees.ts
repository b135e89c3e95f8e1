import type { BitcoinSettings } from '../config.ts';
import { type BitcoinNetwork, bitcoinRules } from '../networks.ts';
import { scriptOf } from '../store/watched.ts';
import type { BitcoinNode } from './bitcoin-node.ts';

/** Blocks within which a payment should be mined. */
const TARGET_BLOCKS = 2;

/** Virtual bytes of a transaction without inputs and outputs, of an input, and of an output without its script. */
const FRAME = 11;
const SEGWIT_INPUT = 69;
const LEGACY_INPUT = 149;
const OUTPUT = 9;

/** The virtual size of an input. */
export function inputSize(network: BitcoinNetwork): bigint {
  return BigInt(bitcoinRules[network].family.segwitPrefix === null ? LEGACY_INPUT : SEGWIT_INPUT);
}

/** The virtual size of one of our transactions, rounded up so that it is never too small. */
export function estimateSize(network: BitcoinNetwork, inputs: number, outputs: readonly string[]): bigint {
  const paid = outputs.reduce((sum, address) => sum + OUTPUT + scriptOf(network, address).length / 2, 0);
  return BigInt(FRAME + paid) + BigInt(inputs) * inputSize(network);
}

/** The fee for `size` vbytes at a rate in atoms per 1,000 vbytes, rounded up. */
export function feeFor(rate: bigint, size: bigint): bigint {
  return (rate * size + 999n) / 1000n;
}

/** The rate to pay now, in atoms per 1,000 vbytes: the node's estimate within the configured bounds. */
export async function readFeeRate(node: BitcoinNode, bounds: BitcoinSettings['feeRate']): Promise<bigint> {
  const estimate = (await node.feeRate(TARGET_BLOCKS)) ?? BigInt(bounds.usual);
  const [min, max] = [BigInt(bounds.min), BigInt(bounds.max)];
  return estimate < min ? min : estimate > max ? max : estimate;
}
