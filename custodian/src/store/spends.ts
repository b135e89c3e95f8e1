import type { ServedNetwork } from '../networks.ts';
import { type BurnProof, type SpendState, nextSpendState } from '../states/spend.ts';
import type { Move } from '../nodes/chain.ts';
import { findDeath, readHead, watchFence } from './chain-state.ts';
import type { Database } from './database.ts';
import type { Row } from './sqlite-file.ts';
import { lookupOf } from './watched.ts';

export type Purpose = 'payout' | 'sweep' | 'gas' | 'cold' | 'child' | 'nonce';

/** A payment that we make. */
export interface Spend {
  readonly id: string;
  readonly network: ServedNetwork;
  readonly purpose: Purpose;
  readonly asset: string;
  readonly contract: string | null;
  readonly address: string;
  readonly atoms: bigint;
  /** The index of the deposit address that a sweep empties, or that receives gas; the number of a nonce account. */
  readonly sourceIndex: number | null;
  /** The exact bytes of Bureau's order, and its signature; `null` for the house's own payments. */
  readonly order: { readonly body: string; readonly signature: string } | null;
  readonly state: SpendState;
  readonly reason: string | null;
  readonly fence: string | null;
  /** How to make the first version (see `Plan`). It is set together with the fence. */
  readonly plan: string | null;
  /** Whether it was open in a backup that was restored, so that it may have been paid since. */
  readonly isRestored: boolean;
  /** Whether a person has decided that it may be paid in spite of what would hold it. */
  readonly isAllowed: boolean;
  /** Why a person has its fence used up by a payment of nothing; `null` when nobody does. */
  readonly cancelled: string | null;
  /** The signer's word that its id is burnt; `null` while it is not. */
  readonly proof: BurnProof | null;
}

/** A signed transaction of a spend. */
export interface Version {
  readonly version: number;
  readonly txHash: string;
  readonly raw: string;
  readonly plan: string;
  readonly madeAtHeight: number;
  /** Whether it pays nobody and only uses the fence. */
  readonly cancels: boolean;
}

export type NewSpend = Pick<
  Spend,
  'id' | 'network' | 'purpose' | 'asset' | 'contract' | 'address' | 'atoms' | 'sourceIndex' | 'order'
>;

/** The spends of a network with the transactions of the stored blocks that used their fences. */
export const SPENT = 'spends AS p JOIN spent AS s ON s.network = p.network AND s.fence = p.fence';

function readSpendRow(row: Row): Spend {
  const text = (name: string) => (row[name] == null ? null : String(row[name]));
  const [body, signature] = [text('body'), text('signature')];
  return {
    id: String(row['id']),
    network: String(row['network']) as ServedNetwork,
    purpose: String(row['purpose']) as Purpose,
    asset: String(row['asset']),
    contract: text('contract'),
    address: String(row['address']),
    atoms: BigInt(String(row['atoms'])),
    sourceIndex: row['source_index'] == null ? null : Number(row['source_index']),
    order: body === null || signature === null ? null : { body, signature },
    state: String(row['state']) as SpendState,
    reason: text('reason'),
    fence: text('fence'),
    plan: text('plan'),
    isRestored: row['restored'] === 1,
    isAllowed: row['allowed'] === 1,
    cancelled: text('cancelled'),
    proof: row['proof'] == null ? null : (JSON.parse(String(row['proof'])) as BurnProof),
  };
}

/** Stores a new spend. Throws when its id exists. */
export function insertSpend(
  database: Database,
  spend: NewSpend,
  state: 'QUEUED' | 'REFUSING',
  reason: string | null,
  now_ms: number,
): void {
  database.run(
    `INSERT INTO spends (id, network, purpose, asset, contract, address, atoms, source_index, body, signature, state, reason, accepted_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    spend.id,
    spend.network,
    spend.purpose,
    spend.asset,
    spend.contract,
    spend.address,
    String(spend.atoms),
    spend.sourceIndex,
    spend.order?.body ?? null,
    spend.order?.signature ?? null,
    state,
    reason,
    now_ms,
  );
}

export function findSpend(database: Database, id: string): Spend | undefined {
  const row = database.one('SELECT * FROM spends WHERE id = ?', id);
  return row && readSpendRow(row);
}

/** All spends of a network that have not ended, in the order in which they were accepted. */
export function listOpenSpends(database: Database, network: ServedNetwork): Spend[] {
  return database
    .all(
      `SELECT * FROM spends WHERE network = ? AND state NOT IN ('FINAL_PAID', 'REFUSED', 'DISPLACED') ORDER BY number`,
      network,
    )
    .map(readSpendRow);
}

/** Payouts that were refused and whose fence, which no block has any more, is to be used up. */
export function listRefusedToCancel(database: Database, network: ServedNetwork): Spend[] {
  return database
    .all(
      `SELECT * FROM spends AS p WHERE network = ? AND cancelled IS NOT NULL AND state = 'REFUSED' AND fence IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = p.network AND s.fence = p.fence)`,
      network,
    )
    .map(readSpendRow);
}

/** Payouts of all networks that will be refused. */
export function listRefusing(database: Database): Spend[] {
  return database.all(`SELECT * FROM spends WHERE state = 'REFUSING' ORDER BY number`).map(readSpendRow);
}

function readVersionRow(row: Row): Version {
  return {
    version: Number(row['version']),
    txHash: String(row['tx_hash']),
    raw: String(row['raw']),
    plan: String(row['plan']),
    madeAtHeight: Number(row['made_at_height']),
    cancels: row['cancels'] === 1,
  };
}

/** The versions of a spend with its present fence, oldest first. */
export function listVersions(database: Database, spendId: string): Version[] {
  return database
    .all(
      `SELECT v.* FROM versions AS v JOIN spends AS p ON p.id = v.spend_id AND p.fence = v.fence
       WHERE v.spend_id = ? ORDER BY v.version`,
      spendId,
    )
    .map(readVersionRow);
}

/** The versions of a spend with earlier fences, oldest first: each is dead, or final without having paid. */
export function listEarlierVersions(database: Database, spendId: string): Version[] {
  return database
    .all(
      `SELECT v.* FROM versions AS v JOIN spends AS p ON p.id = v.spend_id AND p.fence IS NOT v.fence
       WHERE v.spend_id = ? ORDER BY v.version`,
      spendId,
    )
    .map(readVersionRow);
}

/** The hash to show for a spend: that of the version in a block, else of the newest; `null` before the first. */
export function nameTransaction(database: Database, spend: Spend): string | null {
  const row = database.one(
    `SELECT v.tx_hash FROM versions AS v
     LEFT JOIN spent AS s ON s.network = v.network AND s.fence = ?2 AND s.tx_hash = v.tx_hash
     WHERE v.spend_id = ?1 ORDER BY s.tx_hash IS NULL, v.version DESC LIMIT 1`,
    spend.id,
    spend.fence,
  );
  return row ? String(row['tx_hash']) : null;
}

/** The transaction of a block that used the fence of a spend, and its height; `undefined` when there is none. */
export function findSpent(
  database: Database,
  { network, fence }: Spend,
): { readonly txHash: string; readonly height: number; readonly isReverted: boolean } | undefined {
  const row = database.one('SELECT * FROM spent WHERE network = ? AND fence = ?', network, fence);
  return row && { txHash: String(row['tx_hash']), height: Number(row['height']), isReverted: row['reverted'] === 1 };
}

/** Whether another payout to the same recipient was reverted in a block. */
export function hasReverted(database: Database, { id, network, address }: Spend): boolean {
  const row = database.one(
    `SELECT 1 FROM ${SPENT} WHERE p.network = ? AND p.address = ? AND p.purpose = 'payout' AND p.id <> ? AND s.reverted = 1`,
    network,
    address,
    id,
  );
  return row !== undefined;
}

/** Other payouts to the same recipient that are signed and in no block. */
export function listSignedTo(database: Database, { id, network, address }: Spend): Spend[] {
  return database
    .all(
      `SELECT * FROM spends WHERE network = ? AND address = ? AND purpose = 'payout' AND id <> ? AND state = 'SIGNED'`,
      network,
      address,
      id,
    )
    .map(readSpendRow);
}

/**
 * Whether a transaction that succeeded did what was ordered. A payout of a token counts only when the logs show exactly its
 * transfer: a token's contract may return without having moved anything, or take a fee.
 */
export function isAsOrdered(
  { network, purpose, contract, address, atoms }: Spend,
  moves: readonly Move[] = [],
): boolean {
  if (purpose !== 'payout' || contract === null) return true;
  const wanted = [lookupOf(network, contract), lookupOf(network, address)].join();
  return moves.some((move) => [move.contract, move.to].join() === wanted && BigInt(move.atoms) === atoms);
}

/** Whether a version of a spend moved nothing in a block only because its own limit was too low. */
export function wasStarved(database: Database, spendId: string): boolean {
  const sql = `SELECT 1 FROM versions AS v JOIN spent AS s ON s.network = v.network AND s.fence = v.fence
    WHERE v.spend_id = ? AND s.starved = 1`;
  return database.one(sql, spendId) !== undefined;
}

/** The bytes of one of our transactions, in hex; `undefined` when it is none of ours. */
export function findRaw(database: Database, network: ServedNetwork, txHash: string): string | undefined {
  const row = database.one('SELECT raw FROM versions WHERE network = ? AND tx_hash = ?', network, txHash);
  return row && String(row['raw']);
}

/** The plan of one of our transactions that no block has; `undefined` when a block has it, or it is none of ours. */
export function findUnconfirmedPlan(database: Database, network: ServedNetwork, txHash: string): string | undefined {
  const row = database.one(
    `SELECT v.plan FROM versions AS v JOIN spends AS p ON p.id = v.spend_id WHERE v.network = ?1 AND v.tx_hash = ?2
     AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = ?1 AND s.fence = p.fence)`,
    network,
    txHash,
  );
  return row && String(row['plan']);
}

/** The version that a block has and that paid a spend as it was ordered, and its height; `undefined` when there is none. */
export function findPaid(
  database: Database,
  spend: Spend,
): { readonly txHash: string; readonly height: number } | undefined {
  const row = database.one(
    `SELECT s.tx_hash, s.height, s.moves FROM spent AS s JOIN versions AS v ON v.spend_id = ? AND v.tx_hash = s.tx_hash
     WHERE s.network = ? AND s.fence = ? AND s.reverted = 0 AND v.cancels = 0`,
    spend.id,
    spend.network,
    spend.fence,
  );
  if (!row || !isAsOrdered(spend, readMoves(row))) return undefined;
  return { txHash: String(row['tx_hash']), height: Number(row['height']) };
}

function readMoves(row: Row | undefined): Move[] {
  return JSON.parse(String(row?.['moves'] ?? '[]')) as Move[];
}

/** Stores why a spend waits. Has no effect on a spend with a signed version. */
export function holdSpend(database: Database, id: string, reason: string): void {
  database.run(`UPDATE spends SET state = 'HELD', reason = ? WHERE id = ? AND state IN ('QUEUED', 'HELD')`, reason, id);
}

/**
 * Reserves a fence before anything is signed with it. Call it in one transaction with `Payer.reserve`, and not before our
 * newest block is the chain's: a fence that dies (`diesAt`) is looked for in the blocks after it.
 */
export function reserveFence(database: Database, spend: Spend, fence: string, plan: string, diesAt?: number): void {
  const changed = database.run(
    `UPDATE spends SET fence = ?, plan = ?, state = 'QUEUED', reason = NULL
     WHERE id = ? AND fence IS NULL AND state IN ('QUEUED', 'HELD')`,
    fence,
    plan,
    spend.id,
  );
  if (changed !== 1) throw new Error(`${spend.id} has a fence already`);
  const readFrom = readHead(database, spend.network)?.height ?? -1;
  watchFence(
    database,
    spend.network,
    fence,
    `spend:${spend.id}`,
    diesAt === undefined ? undefined : { diesAt, readFrom },
  );
}

/** Releases a fence with which nothing was ever signed. Call it in one transaction with `Payer.release`. */
export function releaseFence(database: Database, spend: Spend, reason: string): void {
  if (listVersions(database, spend.id).length > 0) throw new Error(`${spend.id} is signed`);
  database.run(
    `UPDATE spends SET fence = NULL, plan = NULL, state = 'HELD', reason = ? WHERE id = ?`,
    reason,
    spend.id,
  );
  const released = 'DELETE FROM fences WHERE network = ? AND owner = ? AND fence = ?';
  database.run(released, spend.network, `spend:${spend.id}`, spend.fence);
}

/**
 * Stores a signed version before it is sent. `fee` is the most that it can pay to the network, in atoms of the coin.
 * Call it in one transaction with `Payer.noteStored`.
 */
export function storeVersion(
  database: Database,
  spend: Spend,
  signed: { readonly raw: string; readonly txHash: string },
  plan: string,
  fee: bigint,
  height: number,
): void {
  // Stored already. The same plan signed again gives the same bytes (RFC 6979).
  if (listVersions(database, spend.id).some(({ txHash }) => txHash === signed.txHash)) return;
  database.run(
    `INSERT INTO versions (spend_id, version, network, tx_hash, raw, plan, fee, made_at_height, cancels, fence)
     SELECT ?1, COALESCE(MAX(version), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
       (SELECT fence FROM spends WHERE id = ?1) FROM versions WHERE spend_id = ?1`,
    spend.id,
    spend.network,
    signed.txHash,
    signed.raw,
    plan,
    String(fee),
    height,
    spend.cancelled === null ? 0 : 1,
  );
  database.run(
    `UPDATE spends SET state = 'SIGNED', reason = NULL WHERE id = ? AND state IN ('QUEUED', 'HELD')`,
    spend.id,
  );
}

/**
 * Updates the state of every signed spend by the stored blocks. One about whose end the nodes do not agree is not final,
 * however deep its block is, and not dead. One whose version can never pay any more gives up its fence, in the same
 * transaction: another version needs another. Returns the spends whose state changed, as they were but for the state.
 */
export function updateSpends(
  database: Database,
  network: ServedNetwork,
  finalHeight: number,
  isAgreed: (spend: Spend) => boolean = () => true,
): Spend[] {
  return database.transact(() =>
    listOpenSpends(database, network).flatMap((spend) => {
      const row = database.one('SELECT * FROM spent WHERE network = ? AND fence = ?', network, spend.fence);
      const version = listVersions(database, spend.id).find(({ txHash }) => txHash === row?.['tx_hash']);
      const spent = row && {
        byVersion: version !== undefined,
        isReverted: row['reverted'] === 1 || version?.cancels === true,
        // The house's own payments are not tried again, but planned anew.
        isStarved: row['starved'] === 1 && spend.purpose === 'payout',
        isAsOrdered: isAsOrdered(spend, readMoves(row)),
        isFinal: Number(row['height']) <= finalHeight && isAgreed(spend),
      };
      const isDead = !row && spend.fence !== null && findDeath(database, network, spend.fence) !== undefined;
      const state = nextSpendState(spend.state, spent, isDead && isAgreed(spend));
      if (state === spend.state) return [];
      database.run('UPDATE spends SET state = ? WHERE id = ?', state, spend.id);
      if (state === 'QUEUED') database.run('UPDATE spends SET fence = NULL, plan = NULL WHERE id = ?', spend.id);
      return [{ ...spend, state }];
    }),
  );
}

/** Marks a spend as refused, after the signer has burnt its id. */
export function refuseSpend(database: Database, id: string, reason: string): void {
  database.run(
    `UPDATE spends SET state = 'REFUSED', reason = COALESCE(reason, cancelled, ?)
     WHERE id = ? AND state IN ('REFUSING', 'FINAL_REVERTED')`,
    reason,
    id,
  );
}

/** Stores the signer's word that the id of a payout is burnt. */
export function storeProof(database: Database, id: string, { signed, signature }: BurnProof): void {
  database.run('UPDATE spends SET proof = ? WHERE id = ?', JSON.stringify({ signed, signature }), id);
}

/**
 * Decides that the fence of a payout is used up by a payment of nothing, so that it is never paid. Returns false when it
 * has no fence, or a block has it already.
 */
export function cancelByHand(database: Database, id: string, reason: string): boolean {
  const changed = database.run(
    `UPDATE spends SET cancelled = ? WHERE id = ? AND purpose = 'payout' AND fence IS NOT NULL
     AND state IN ('QUEUED', 'HELD', 'SIGNED', 'REFUSED')
     AND NOT EXISTS (SELECT 1 FROM spent AS s WHERE s.network = spends.network AND s.fence = spends.fence)`,
    reason,
    id,
  );
  return changed === 1;
}

/** Decides that a payout may be paid in spite of what holds it. Returns false when it does not wait. */
export function allowByHand(database: Database, id: string): boolean {
  return database.run(`UPDATE spends SET allowed = 1 WHERE id = ? AND purpose = 'payout' AND state = 'HELD'`, id) === 1;
}

/**
 * Decides about a payout whose fence a final transaction used in another way than was ordered: a person has seen that
 * the recipient has the amount. Returns false when there is nothing to decide.
 */
export function payByHand(database: Database, id: string): boolean {
  const decided = `UPDATE spends SET state = 'FINAL_PAID' WHERE id = ? AND purpose = 'payout' AND state = 'DISPLACED'`;
  return database.run(decided, id) === 1;
}

/**
 * Refuses a payout on a person's decision: one without a fence, or one whose fence a final transaction used without
 * paying. Returns false for any other, since it may be paid already.
 */
export function refuseByHand(database: Database, id: string, reason: string): boolean {
  const changed = database.run(
    `UPDATE spends SET state = 'REFUSING', reason = ?
     WHERE id = ? AND purpose = 'payout' AND (state = 'DISPLACED' OR fence IS NULL AND state IN ('QUEUED', 'HELD'))`,
    reason,
    id,
  );
  return changed === 1;
}

/** Payouts that have ended and that Bureau has not settled yet, in the order of acceptance. */
export function listUnheard(database: Database): string[] {
  return database
    .all(
      `SELECT id FROM spends WHERE purpose = 'payout' AND state IN ('FINAL_PAID', 'REFUSED') AND heard = 0 ORDER BY number`,
    )
    .map((row) => String(row['id']));
}

/** Payouts that have not ended, and that are held though Bureau was not told so, or the other way round. */
export function listHeldOtherwise(database: Database): string[] {
  return database
    .all(
      `SELECT id FROM spends WHERE purpose = 'payout' AND state NOT IN ('FINAL_PAID', 'REFUSED', 'DISPLACED')
       AND (state = 'HELD') <> (told_held IS NOT NULL) ORDER BY number`,
    )
    .map((row) => String(row['id']));
}

/** Notes why a payout is held, or that it is not, as Bureau is told now. */
export function noteTold(database: Database, id: string): void {
  // An UPDATE of nothing would still wait for another writer.
  const isNoted = `SELECT 1 FROM spends WHERE id = ? AND told_held IS iif(state = 'HELD', reason, NULL)`;
  if (database.one(isNoted, id)) return;
  database.run(`UPDATE spends SET told_held = iif(state = 'HELD', reason, NULL) WHERE id = ?`, id);
}

/** Notes that Bureau has settled a payout. */
export function noteHeard(database: Database, id: string): void {
  database.run('UPDATE spends SET heard = 1 WHERE id = ?', id);
}
