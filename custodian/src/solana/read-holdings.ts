import type { Holding } from '../holdings.ts';
import { type SolanaNetwork, listAssets } from '../networks.ts';
import type { Database } from '../store/database.ts';
import { sumLeaving } from '../store/house-books.ts';
import { sumBalances } from '../store/token-balances.ts';

/**
 * The holdings on Solana after the newest block that is stored: all balances are read from blocks. Its coin, with which fees
 * are paid, is held for nobody.
 */
export function readSolanaHoldings(database: Database, network: SolanaNetwork): Holding[] {
  return listAssets(network).map(({ asset, decimals }) => {
    const { warm, cold } = sumBalances(database, network, asset);
    return { asset, decimals, atoms: warm, held: warm + cold + sumLeaving(database, network, asset) };
  });
}
