import type { ServedNetwork } from '../networks.ts';
import type { TokenBalance } from '../nodes/chain.ts';
import type { Database } from './database.ts';

/** The newest balance of each token account. */
const NEWEST = `token_balances AS b WHERE b.network = ?1 AND b.height = (SELECT MAX(height) FROM token_balances
  WHERE network = b.network AND token_account = b.token_account)`;

/** Stores the token accounts that a block changed. Call it in the transaction that stores the block. */
export function takeBalances(
  database: Database,
  network: ServedNetwork,
  height: number,
  balances: readonly TokenBalance[],
): void {
  for (const { account, owner, asset, atoms } of balances) {
    database.run(
      'INSERT OR REPLACE INTO token_balances VALUES (?, ?, ?, ?, ?, ?, ?)',
      network,
      account,
      height,
      owner.account,
      owner.addressIndex,
      asset,
      String(atoms),
    );
  }
}

/** Stores balances that no block has shown yet, such as those from before the first one. Others are left alone. */
export function adoptBalances(
  database: Database,
  network: ServedNetwork,
  height: number,
  balances: readonly TokenBalance[],
): void {
  const isKnown = ({ account }: TokenBalance) => readTokenAccount(database, network, account) !== undefined;
  database.transact(() =>
    takeBalances(
      database,
      network,
      height,
      balances.filter((balance) => !isKnown(balance)),
    ),
  );
}

/** Takes back what blocks from this height on have changed. */
export function takeBackBalances(database: Database, network: ServedNetwork, height: number): void {
  database.run('DELETE FROM token_balances WHERE network = ? AND height >= ?', network, height);
}

/** Deletes what accounts had before their newest change up to this height. */
export function forgetBalances(database: Database, network: ServedNetwork, height: number): void {
  database.run(
    `DELETE FROM token_balances AS b WHERE network = ?1 AND height < ?2 AND EXISTS (SELECT 1 FROM token_balances AS n
     WHERE n.network = b.network AND n.token_account = b.token_account AND n.height > b.height AND n.height <= ?2)`,
    network,
    height,
  );
}

/** What a token account of ours has after the newest block that is stored; `undefined` when none has shown it. */
export function readTokenAccount(database: Database, network: ServedNetwork, account: string): bigint | undefined {
  const row = database.one(
    'SELECT atoms FROM token_balances WHERE network = ? AND token_account = ? ORDER BY height DESC LIMIT 1',
    network,
    account,
  );
  return row && BigInt(String(row['atoms']));
}

/** A token account with something in it. */
export interface TokenSource {
  readonly source: string;
  readonly atoms: bigint;
}

/** The token accounts of a deposit address that have an asset, the largest first. */
export function listSources(
  database: Database,
  network: ServedNetwork,
  addressIndex: number,
  asset: string,
): TokenSource[] {
  return database
    .all(
      `SELECT token_account, atoms FROM ${NEWEST} AND account = 'deposit' AND address_index = ?2 AND asset = ?3
       AND atoms <> '0' ORDER BY LENGTH(atoms) DESC, atoms DESC, token_account`,
      network,
      addressIndex,
      asset,
    )
    .map((row) => ({ source: String(row['token_account']), atoms: BigInt(String(row['atoms'])) }));
}

/** The sums of an asset after the newest block that is stored: of the cold wallet, and of all other addresses. */
export function sumBalances(
  database: Database,
  network: ServedNetwork,
  asset: string,
): { readonly cold: bigint; readonly warm: bigint } {
  const sum = (condition: string) =>
    database.sum(`SELECT sum_atoms(atoms) AS sum FROM ${NEWEST} AND asset = ?2 AND ${condition}`, network, asset);
  return { cold: sum(`account = 'cold'`), warm: sum(`account <> 'cold'`) };
}
