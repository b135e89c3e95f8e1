import { parseAmount } from '../../../src/money/amounts.ts';
import type { Holding } from '../holdings.ts';
import { type BitcoinNetwork, coinDecimals } from '../networks.ts';
import { sumCoins } from '../store/coins.ts';
import type { Database } from '../store/database.ts';
import { sumFeeFloat, sumLeaving } from '../store/house-books.ts';

/** The holdings of a Bitcoin-like chain after the newest block that is stored: all our coins are read from blocks. */
export function readBitcoinHoldings(database: Database, network: BitcoinNetwork, feeFloat: string): Holding[] {
  const decimals = coinDecimals(network);
  const { warm, cold } = sumCoins(database, network);
  const float = sumFeeFloat(database, network, parseAmount(feeFloat, decimals) ?? 0n);
  const held = warm + cold + sumLeaving(database, network, network) - float;
  return [{ asset: network, decimals, atoms: warm, held: held > 0n ? held : 0n }];
}
