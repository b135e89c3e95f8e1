import type { ServedNetwork } from '../networks.ts';
import type { BlockId, Header } from '../states/chain.ts';
import type { ScannedBlock } from '../nodes/chain.ts';
import type { Database } from './database.ts';
import { forgetBalances, takeBalances, takeBackBalances } from './token-balances.ts';

/** How many blocks below the final height are kept, so that a person can look at them. */
const KEPT_BELOW_FINAL = 100;

/** Our newest block; `undefined` before the first. */
export function readHead(database: Database, network: ServedNetwork): BlockId | undefined {
  const row = database.one('SELECT height, hash FROM blocks WHERE network = ? ORDER BY height DESC LIMIT 1', network);
  return row && { height: Number(row['height']), hash: String(row['hash']) };
}

/** The hash of our block at a height. */
export function readBlockHash(database: Database, network: ServedNetwork, height: number): string | undefined {
  const row = database.one('SELECT hash FROM blocks WHERE network = ? AND height = ?', network, height);
  return row && String(row['hash']);
}

/** The height up to which blocks are final; -1 before the first. */
export function readFinalHeight(database: Database, network: ServedNetwork): number {
  return Number(database.one('SELECT final_height FROM chains WHERE network = ?', network)?.['final_height'] ?? -1);
}

/**
 * Raises the final height. It never falls, whatever a node says later. Fences that are used in a final block, or dead by
 * one, end. The hashes of blocks far below it are deleted, except those about which a second node must still be asked, and
 * those that show that a fence was not used.
 */
export function raiseFinalHeight(database: Database, network: ServedNetwork, height: number): void {
  database.transact(() => {
    database.run(
      `INSERT INTO chains (network, final_height) VALUES (?, ?)
       ON CONFLICT (network) DO UPDATE SET final_height = MAX(final_height, excluded.final_height)`,
      network,
      height,
    );
    endFences(database, network);
    deleteOldBlocks(database, network, height);
  });
}

/**
 * Ends the fences that die. One is dead when a final block has a later clock than it, and every block from its reservation
 * up to that one was read and has it not. Time alone ends nothing: a chain that stood still may take a transaction late.
 */
function endFences(database: Database, network: ServedNetwork): void {
  const height = readFinalHeight(database, network);
  database.run(
    `UPDATE fences SET ended = ?2 WHERE network = ?1 AND dies_at IS NOT NULL AND ended IS NULL AND (
       EXISTS (SELECT 1 FROM spent AS s WHERE s.network = ?1 AND s.fence = fences.fence AND s.height <= ?2)
       OR dies_at < (SELECT clock FROM blocks WHERE network = ?1 AND height = ?2)
         AND NOT EXISTS (SELECT 1 FROM blocks AS b WHERE b.network = ?1 AND b.height > read_from AND b.height <= ?2
           AND b.parent_height <> read_from
           AND NOT EXISTS (SELECT 1 FROM blocks WHERE network = ?1 AND height = b.parent_height)))`,
    network,
    height,
  );
}

/** The final block by which a fence is known to be dead; `undefined` while it may still be used, or is. */
export function findDeath(database: Database, network: ServedNetwork, fence: string): number | undefined {
  const row = database.one(
    `SELECT MIN(ended) AS ended FROM fences AS f WHERE network = ?1 AND fence = ?2
     AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = ?1 AND s.fence = ?2)`,
    network,
    fence,
  );
  return row?.['ended'] == null ? undefined : Number(row['ended']);
}

/** The clock after which a fence is dead. Throws when it never dies. */
export function readDeadline(database: Database, network: ServedNetwork, fence: string): number {
  const row = database.one('SELECT MIN(dies_at) AS at FROM fences WHERE network = ? AND fence = ?', network, fence);
  if (row?.['at'] == null) throw new Error(`${fence} never dies`);
  return Number(row['at']);
}

function deleteOldBlocks(database: Database, network: ServedNetwork, height: number): void {
  database.run(
    `DELETE FROM blocks WHERE network = ?1 AND height < ?2
     AND height <= COALESCE((SELECT MIN(read_from) FROM fences
       WHERE network = ?1 AND dies_at IS NOT NULL AND ended IS NULL), ?2)
     AND height NOT IN (SELECT height FROM deposits
       WHERE network = ?1 AND settled IS NULL AND inner_payment = 0 AND height IS NOT NULL)
     AND height NOT IN (SELECT s.height FROM spends AS p JOIN spent AS s ON s.network = p.network AND s.fence = p.fence
       WHERE p.network = ?1 AND p.state NOT IN ('FINAL_PAID', 'REFUSED', 'DISPLACED'))`,
    network,
    height - KEPT_BELOW_FINAL,
  );
  forgetBalances(database, network, height - KEPT_BELOW_FINAL);
}

/** Why the chain is no longer followed, or `null`. Only a person can have it followed again. */
export function readHalt(database: Database, network: ServedNetwork): string | null {
  const row = database.one('SELECT halted FROM chains WHERE network = ?', network);
  return row?.['halted'] == null ? null : String(row['halted']);
}

export function halt(database: Database, network: ServedNetwork, reason: string): void {
  database.run(
    'INSERT INTO chains (network, halted) VALUES (?, ?) ON CONFLICT (network) DO UPDATE SET halted = excluded.halted',
    network,
    reason,
  );
}

/**
 * Follows a halted chain again, on a person's decision. Only blocks up to the height that the person gives are final, and
 * the payments above it are open again.
 * Returns false when that chain is not halted, or the height is above what was final.
 */
export function resumeChain(database: Database, network: ServedNetwork, finalHeight: number): boolean {
  return database.transact(() => {
    const changed = database.run(
      `UPDATE chains SET halted = NULL, final_height = ?1
       WHERE network = ?2 AND halted IS NOT NULL AND final_height >= ?1`,
      finalHeight,
      network,
    );
    if (changed !== 1) return false;
    // Blocks above that height are read again.
    database.run(
      'UPDATE fences SET ended = NULL, read_from = MAX(read_from, ?1) WHERE network = ?2 AND dies_at IS NOT NULL AND ended > ?1',
      finalHeight,
      network,
    );
    // What was final is open again where its block is above that height. A version that no block has is sent again; of a payout
    // that was refused the fence is used up, so that no version of it is ever paid and no later nonce waits for it.
    const isOpen = `network = ?1 AND fence IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM spent AS s WHERE s.network = spends.network AND s.fence = spends.fence AND s.height <= ?2)`;
    database.run(
      `UPDATE spends SET state = 'SIGNED' WHERE state IN ('FINAL_PAID', 'FINAL_REVERTED', 'DISPLACED') AND ${isOpen}`,
      network,
      finalHeight,
    );
    database.run(
      `UPDATE spends SET cancelled = 'the chain was reorganised' WHERE state = 'REFUSED' AND ${isOpen}`,
      network,
      finalHeight,
    );
    return true;
  });
}

/** Stores the first block. Earlier blocks are not read. */
export function beginAt(
  database: Database,
  network: ServedNetwork,
  { height, hash, clock, parentHeight = height - 1 }: BlockId & Pick<Header, 'clock' | 'parentHeight'>,
): void {
  database.run('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)', network, height, hash, clock ?? null, parentHeight);
}

/**
 * Whether the database knows all that was paid before. A new or restored one does not until it has read the chain to its
 * end.
 */
export function isAdopted(database: Database, network: ServedNetwork): boolean {
  return database.one('SELECT adopted FROM chains WHERE network = ?', network)?.['adopted'] === 1;
}

/** What a transaction in a block has used and should not have. */
export interface ForeignSpend {
  readonly fence: string;
  readonly txHash: string;
}

/**
 * Stores a block with its payments and spent fences, in one transaction. Returns what a transaction that is none of ours has
 * spent of ours, but for the cold wallet.
 */
export function takeBlock(database: Database, network: ServedNetwork, block: ScannedBlock): ForeignSpend[] {
  return database.transact(() => {
    beginAt(database, network, block);
    for (const payment of block.payments) {
      const { txHash, outputIndex, address, account, addressIndex } = payment;
      if (payment.isDeposit) {
        database.run(
          `INSERT INTO deposits (network, tx_hash, output_index, address, address_index, asset, contract, atoms, inner_payment, state, height)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'INCLUDED', ?)
           ON CONFLICT DO UPDATE SET height = excluded.height, address = excluded.address,
             address_index = excluded.address_index, asset = excluded.asset, contract = excluded.contract,
             atoms = excluded.atoms, inner_payment = excluded.inner_payment`,
          network,
          txHash,
          outputIndex,
          address,
          addressIndex,
          payment.asset,
          payment.contract,
          String(payment.atoms),
          payment.isInner ? 1 : 0,
          block.height,
        );
        const dying = payment.diesAt === undefined ? undefined : { diesAt: payment.diesAt, readFrom: block.height - 1 };
        for (const fence of payment.fences) watchFence(database, network, fence, `deposit:${txHash}`, dying);
      }
      if (payment.isCoin) {
        database.run(
          `INSERT INTO coins (network, outpoint, account, address_index, atoms, height, spendable_from) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET height = excluded.height, own_depth = own_depth * 0`,
          network,
          `${txHash}:${outputIndex}`,
          account,
          addressIndex,
          String(payment.atoms),
          block.height,
          block.height + (payment.maturity ?? 0),
        );
        watchFence(database, network, `${txHash}:${outputIndex}`, 'coin');
      }
    }
    for (const { fence, txHash, isReverted, isStarved = false, fee, moves } of block.spent) {
      // A fence that is there already: no chain may stop because one of its rows cannot be stored.
      database.run(
        `INSERT INTO spent (network, fence, tx_hash, reverted, height, fee, moves, starved)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM fences WHERE network = ?1 AND fence = ?2)
         ON CONFLICT DO NOTHING`,
        network,
        fence,
        txHash,
        isReverted ? 1 : 0,
        block.height,
        fee === null ? null : String(fee),
        moves === undefined ? null : JSON.stringify(moves),
        isStarved ? 1 : 0,
      );
    }
    const isKnown = (txHash: string) =>
      database.one('SELECT 1 FROM versions WHERE network = ? AND tx_hash = ?', network, txHash) !== undefined;
    const foreign = block.spent.filter(({ isOwn, txHash }) => isOwn === true && !isKnown(txHash));
    takeBalances(database, network, block.height, block.balances ?? []);
    return [...foreign, ...listForeign(database, network, block.height)];
  });
}

function listForeign(database: Database, network: ServedNetwork, height: number): ForeignSpend[] {
  return database
    .all(
      `SELECT s.fence, s.tx_hash FROM spent AS s JOIN coins AS c ON c.network = s.network AND c.outpoint = s.fence
       WHERE s.network = ?1 AND s.height = ?2 AND c.account <> 'cold'
       AND NOT EXISTS (SELECT 1 FROM versions AS v WHERE v.network = ?1 AND v.tx_hash = s.tx_hash)`,
      network,
      height,
    )
    .map((row) => ({ fence: String(row['fence']), txHash: String(row['tx_hash']) }));
}

/** Deletes a block and everything stored from it, in one transaction. */
export function takeBack(database: Database, network: ServedNetwork, height: number): void {
  database.transact(() => {
    database.run('DELETE FROM blocks WHERE network = ? AND height >= ?', network, height);
    database.run('DELETE FROM spent WHERE network = ? AND height >= ?', network, height);
    database.run('UPDATE deposits SET height = NULL WHERE network = ? AND height >= ?', network, height);
    database.run('UPDATE coins SET height = NULL WHERE network = ? AND height >= ?', network, height);
    takeBackBalances(database, network, height);
  });
}

/** When a fence dies, and the block before the first that is compared with it. */
export interface Dying {
  readonly diesAt: number;
  readonly readFrom: number;
}

/** Watches a fence: from now on it is stored which transaction of a block spends it. */
export function watchFence(
  database: Database,
  network: ServedNetwork,
  fence: string,
  owner: string,
  dying?: Dying,
): void {
  database.run(
    'INSERT INTO fences (network, fence, owner, dies_at, read_from) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    network,
    fence,
    owner,
    dying?.diesAt ?? null,
    dying?.readFrom ?? null,
  );
}
