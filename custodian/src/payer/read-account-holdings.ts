import { parseAmount } from '../../../src/money/amounts.ts';
import type { Holding } from '../holdings.ts';
import { type AccountNetwork, coinDecimals, listAssets } from '../networks.ts';
import type { HouseAddresses } from '../signer/requests.ts';
import type { BlockId } from '../states/chain.ts';
import type { Database } from '../store/database.ts';
import { listUsedIndexes } from '../store/deposits.ts';
import { sumFeeFloat, sumLeaving } from '../store/house-books.ts';

/** What the holdings of a network of accounts are read with. */
export interface AccountHoldingsTools {
  readonly network: AccountNetwork;
  /** The balance of a coin (`null`) or a token after the block with this hash. */
  readonly balanceAt: (contract: string | null, owner: string, hash: string) => Promise<bigint>;
  readonly database: Database;
  readonly house: HouseAddresses;
  readonly depositAddress: (index: number) => string;
  readonly feeFloat: string;
}

/** So many balances are asked for at the same time. */
const AT_ONCE = 16;

/**
 * The holdings of each asset after exactly this block, which must be the newest one that is stored: balances of
 * that block, and what the stored blocks say beside them. Rejects when the node cannot answer.
 */
export async function readAccountHoldings(tools: AccountHoldingsTools, block: BlockId): Promise<Holding[]> {
  const { network, database, house, depositAddress } = tools;
  // Everything is read from the database before the first wait, so that it is of the same block.
  const given = parseAmount(tools.feeFloat, coinDecimals(network)) ?? 0n;
  const float = sumFeeFloat(database, network, given);
  const deposits = listUsedIndexes(database, network).map(depositAddress);
  const listed = listAssets(network).map((listing) => ({
    ...listing,
    leaving: sumLeaving(database, network, listing.asset),
  }));
  const holdings: Holding[] = [];
  for (const { asset, contractAddress: contract, decimals, leaving } of listed) {
    const read = (owners: readonly string[]) => sumBalances(tools.balanceAt, contract, owners, block.hash);
    const kept = await read([house.hot, ...deposits]);
    const gas = house.gas === null ? 0n : await read([house.gas]);
    const held = kept + (await read([house.cold])) + leaving - (contract === null ? float : 0n);
    holdings.push({ asset, decimals, atoms: kept + gas, held: held > 0n ? held : 0n });
  }
  return holdings;
}

async function sumBalances(
  balanceAt: AccountHoldingsTools['balanceAt'],
  contract: string | null,
  owners: readonly string[],
  hash: string,
): Promise<bigint> {
  let sum = 0n;
  for (let start = 0; start < owners.length; start += AT_ONCE) {
    const balances = await Promise.all(
      owners.slice(start, start + AT_ONCE).map((owner) => balanceAt(contract, owner, hash)),
    );
    sum = balances.reduce((total, balance) => total + balance, sum);
  }
  return sum;
}
