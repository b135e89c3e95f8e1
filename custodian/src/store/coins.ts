import type { BitcoinNetwork } from '../networks.ts';
import type { KeyName } from '../signer/wallet.ts';
import { watchFence } from './chain-state.ts';
import type { Database } from './database.ts';
import type { Row } from './sqlite-file.ts';

/** Nodes accept chains of 25 transactions that are in no block. Some are left for children that raise the fee. */
const MAX_OWN_DEPTH = 20;

/** An output that we can spend. */
export interface Coin {
  readonly outpoint: string;
  readonly key: KeyName;
  readonly atoms: bigint;
  /** How many of our own transactions that are in no block it depends on; `null` for a coin from somebody else. */
  readonly ownDepth: number | null;
}

function readCoin(row: Row): Coin {
  return {
    outpoint: String(row['outpoint']),
    key: { account: String(row['account']) as KeyName['account'], index: Number(row['address_index']) },
    atoms: BigInt(String(row['atoms'])),
    ownDepth: row['own_depth'] == null ? null : Number(row['own_depth']),
  };
}

/**
 * The coins that can be spent, the largest first: coins in final blocks, and change of our own transactions that can
 * have only one version. Change of a transaction that may be replaced counts only when it is final, because a
 * replacement makes it invalid.
 */
export function listSpendable(
  database: Database,
  network: BitcoinNetwork,
  height: number,
  finalHeight: number,
): Coin[] {
  return database
    .all(
      `SELECT * FROM coins AS c WHERE network = ?1 AND account <> 'cold' AND reserved_by IS NULL
       AND spendable_from <= ?2 AND (height <= ?3 OR own_depth < ?4)
       AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = c.network AND s.fence = c.outpoint)
       ORDER BY LENGTH(atoms) DESC, atoms DESC`,
      network,
      height,
      finalHeight,
      MAX_OWN_DEPTH,
    )
    .map(readCoin);
}

/** The sums of our coins that are in a block and not spent in one: of the cold wallet, and of all other addresses. */
export function sumCoins(
  database: Database,
  network: BitcoinNetwork,
): { readonly cold: bigint; readonly warm: bigint } {
  const sum = (condition: string) =>
    database.sum(
      `SELECT sum_atoms(atoms) AS sum FROM coins AS c WHERE network = ? AND height IS NOT NULL AND ${condition}
       AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = c.network AND s.fence = c.outpoint)`,
      network,
    );
  return { cold: sum(`account = 'cold'`), warm: sum(`account <> 'cold'`) };
}

/** A coin of ours by its outpoint, reserved or not. */
export function findCoin(database: Database, network: BitcoinNetwork, outpoint: string): Coin | undefined {
  const row = database.one('SELECT * FROM coins WHERE network = ? AND outpoint = ?', network, outpoint);
  return row && readCoin(row);
}

/** The change of one of our transactions that is not reserved, or `undefined`. */
export function findFreeChange(database: Database, network: BitcoinNetwork, txHash: string): Coin | undefined {
  const row = database.one(
    `SELECT * FROM coins WHERE network = ? AND outpoint >= ? AND outpoint < ? AND own_depth IS NOT NULL AND reserved_by IS NULL`,
    network,
    `${txHash}:`,
    `${txHash};`,
  );
  return row && readCoin(row);
}

/** Reserves coins for a spend. Call it in a transaction. Throws when one is reserved for another. */
export function reserveCoins(database: Database, network: BitcoinNetwork, outpoints: string[], spendId: string): void {
  for (const outpoint of outpoints) {
    const changed = database.run(
      'UPDATE coins SET reserved_by = ?1 WHERE network = ?2 AND outpoint = ?3 AND COALESCE(reserved_by, ?1) = ?1',
      spendId,
      network,
      outpoint,
    );
    if (changed !== 1) throw new Error(`the coin ${outpoint} is taken`);
  }
}

/** Releases the coins of a spend for which nothing was signed. */
export function releaseCoins(database: Database, network: BitcoinNetwork, spendId: string): void {
  database.run('UPDATE coins SET reserved_by = NULL WHERE network = ? AND reserved_by = ?', network, spendId);
}

/** Adds the change of one of our transactions before it is in a block. Only if it can never have another version. */
export function addOwnChange(
  database: Database,
  network: BitcoinNetwork,
  outpoint: string,
  atoms: bigint,
  ownDepth: number,
): void {
  database.run(
    `INSERT INTO coins (network, outpoint, account, address_index, atoms, spendable_from, own_depth)
     VALUES (?, ?, 'hot', 0, ?, 0, ?) ON CONFLICT DO NOTHING`,
    network,
    outpoint,
    String(atoms),
    ownDepth,
  );
  watchFence(database, network, outpoint, 'coin');
}
