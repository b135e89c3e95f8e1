import type { EvmNetwork } from '../networks.ts';
import type { EvmNode } from './evm-node.ts';

/** OP Stack networks charge for data on Ethereum in addition to gas. A contract on them returns an upper bound. */
const opStack: readonly EvmNetwork[] = ['OPTIMISM', 'BASE'];
const ORACLE = '0x420000000000000000000000000000000000000F';

/** `getL1FeeUpperBound(uint256)`, of the size of the transaction without its signature. */
const SELECTOR = '0xf1c7a58b';

/** The largest size of an unsigned EIP-1559 transaction without its call data. */
const FRAME_BYTES = 120;

/** An upper bound of what a transaction pays for its data on Ethereum; 0 on networks without such a fee. */
export async function readL1Fee(node: EvmNode, network: EvmNetwork, data: string): Promise<bigint> {
  if (!opStack.includes(network)) return 0n;
  const size = FRAME_BYTES + (data.length - 2) / 2;
  return BigInt(await node.callContract(ORACLE, `${SELECTOR}${size.toString(16).padStart(64, '0')}`));
}
