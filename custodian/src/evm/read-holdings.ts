import { type EvmNetwork, listAssets } from '../networks.ts';
import type { HouseAddresses } from '../signer/requests.ts';
import type { BlockId } from '../states/chain.ts';
import type { EvmNode } from './evm-node.ts';
import { readTokenBalance } from './token-balance.ts';

/** The sum of each asset at all our addresses after exactly this block. Rejects when the node cannot answer. */
export async function readEvmHoldings(
  node: EvmNode,
  network: EvmNetwork,
  house: HouseAddresses,
  deposits: readonly string[],
  block: BlockId,
): Promise<{ readonly asset: string; readonly atoms: bigint; readonly decimals: number }[]> {
  const owners = [house.hot, ...(house.gas === null ? [] : [house.gas]), ...deposits];
  return Promise.all(
    listAssets(network).map(async ({ asset, contractAddress, decimals }) => {
      let atoms = 0n;
      for (const owner of owners) {
        atoms +=
          contractAddress === null
            ? await node.balance(owner, block.hash)
            : await readTokenBalance(node, contractAddress, owner, block.hash);
      }
      return { asset, atoms, decimals };
    }),
  );
}
