import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { EvmNode } from './evm-node.ts';

/** `balanceOf(address)` of ERC-20. */
const SELECTOR = '0x70a08231';

/** The balance of a token after the newest block, or after the one with this hash. */
export async function readTokenBalance(node: EvmNode, contract: string, owner: string, hash?: string): Promise<bigint> {
  const answer = await node.callContract(
    contract,
    `${SELECTOR}${owner.slice(2).toLowerCase().padStart(64, '0')}`,
    hash,
  );
  // A call to an address without a contract returns no bytes.
  if (answer === '0x') return 0n;
  if (!/^0x[0-9a-f]{64}$/.test(answer)) throw new NodeRefusal(0, `${contract} does not tell a balance`);
  return BigInt(answer);
}
