import type { BitcoinNetwork } from '../networks.ts';
import type { KeyName } from '../signer/wallet.ts';
import { watchFence } from './chain-state.ts';
import type { Database, Row } from './database.ts';

/** Nodes take chains of 25 transactions that are in no block; a few are left for children that pay. */
const MAX_OWN_DEPTH = 20;

/** An output that is ours. */
export interface Coin {
  readonly outpoint: string;
  readonly key: KeyName;
  readonly atoms: bigint;
  /** How many of our own unmined transactions it stands on; `null` for a coin that somebody else made. */
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
 * What can be spent, the largest first: coins in final blocks, and change of our own transactions that have one version
 * only. Change of one that may be replaced is not among them before it is final: another version would unmake it.
 */
export function listSpendable(
  database: Database,
  network: BitcoinNetwork,
  height: number,
  finalHeight: number,
): Coin[] {
  return database
    .all(
      `SELECT * FROM coins AS c WHERE network = ?1 AND reserved_by IS NULL AND spendable_from <= ?2
       AND (height <= ?3 OR own_depth < ?4)
       AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = c.network AND s.fence = c.outpoint)
       ORDER BY LENGTH(atoms) DESC, atoms DESC`,
      network,
      height,
      finalHeight,
      MAX_OWN_DEPTH,
    )
    .map(readCoin);
}

/** Everything that is ours in a block, spent by none. */
export function sumCoins(database: Database, network: BitcoinNetwork): bigint {
  return database
    .all(
      `SELECT atoms FROM coins AS c WHERE network = ? AND height IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = c.network AND s.fence = c.outpoint)`,
      network,
    )
    .reduce((sum, { atoms }) => sum + BigInt(String(atoms)), 0n);
}

/** A coin of ours by its name, whoever reserved it. */
export function findCoin(database: Database, network: BitcoinNetwork, outpoint: string): Coin | undefined {
  const row = database.one('SELECT * FROM coins WHERE network = ? AND outpoint = ?', network, outpoint);
  return row && readCoin(row);
}

/** The change of an own transaction that nobody has reserved, or `undefined`. */
export function findFreeChange(database: Database, network: BitcoinNetwork, txHash: string): Coin | undefined {
  const row = database.one(
    `SELECT * FROM coins WHERE network = ? AND outpoint >= ? AND outpoint < ? AND own_depth IS NOT NULL AND reserved_by IS NULL`,
    network,
    `${txHash}:`,
    `${txHash};`,
  );
  return row && readCoin(row);
}

/** Reserves coins for one spend. Call in a transaction; throws when one is taken. */
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

/** Gives back the coins of a spend that nothing was signed for. */
export function releaseCoins(database: Database, network: BitcoinNetwork, spendId: string): void {
  database.run('UPDATE coins SET reserved_by = NULL WHERE network = ? AND reserved_by = ?', network, spendId);
}

/** Adds the change of an own transaction that will never have another version, before any block has it. */
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
