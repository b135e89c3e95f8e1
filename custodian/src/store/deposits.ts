import type { ServedNetwork } from '../networks.ts';
import { type DepositState, nextDepositState } from '../states/deposit.ts';
import type { Database } from './database.ts';
import type { Row } from './sqlite-file.ts';

/** A deposit that was seen in a block. */
export interface Deposit {
  readonly network: ServedNetwork;
  readonly txHash: string;
  readonly outputIndex: number;
  readonly address: string;
  readonly addressIndex: number;
  readonly asset: string;
  readonly contract: string | null;
  readonly atoms: bigint;
  readonly isInner: boolean;
  readonly state: DepositState;
  readonly height: number | null;
  /** The highest number of confirmations that Bureau has acknowledged. */
  readonly reported: number;
  /** The status with which Bureau settled it; `null` before. */
  readonly settled: string | null;
}

function readDepositRow(row: Row): Deposit {
  return {
    network: String(row['network']) as ServedNetwork,
    txHash: String(row['tx_hash']),
    outputIndex: Number(row['output_index']),
    address: String(row['address']),
    addressIndex: Number(row['address_index']),
    asset: String(row['asset']),
    contract: row['contract'] == null ? null : String(row['contract']),
    atoms: BigInt(String(row['atoms'])),
    isInner: row['inner_payment'] === 1,
    state: String(row['state']) as DepositState,
    height: row['height'] == null ? null : Number(row['height']),
    reported: Number(row['reported']),
    settled: row['settled'] == null ? null : String(row['settled']),
  };
}

/**
 * Deposits of a network that Bureau has not settled yet, and those in quarantine that can never happen any more, oldest
 * block first.
 */
export function listUnsettledDeposits(database: Database, network: ServedNetwork): Deposit[] {
  return database
    .all(
      `SELECT * FROM deposits WHERE network = ?1 AND settled IS NULL
       UNION ALL SELECT * FROM deposits WHERE network = ?1 AND settled = 'QUARANTINED' AND state = 'DEAD'
       ORDER BY height, tx_hash, output_index`,
      network,
    )
    .map(readDepositRow);
}

/** A deposit address with an asset that was not swept since its newest final deposit. */
export interface SweepSource {
  readonly addressIndex: number;
  readonly asset: string;
  /** What the final deposits that no sweep has moved yet sum up to. */
  readonly atoms: bigint;
}

/** The addresses that may have something to sweep. */
export function listUnswept(database: Database, network: ServedNetwork): SweepSource[] {
  return database
    .all(
      `SELECT address_index, asset, sum_atoms(atoms) AS sum FROM deposits
       WHERE network = ? AND state = 'FINAL' AND swept = 0 GROUP BY address_index, asset`,
      network,
    )
    .map((row) => ({
      addressIndex: Number(row['address_index']),
      asset: String(row['asset']),
      atoms: BigInt(String(row['sum'])),
    }));
}

/** Notes that a sweep signed at this height has moved all that an address had of an asset. */
export function noteSwept(
  database: Database,
  network: ServedNetwork,
  addressIndex: number,
  asset: string,
  height: number,
): void {
  database.run(
    `UPDATE deposits SET swept = 1
     WHERE network = ? AND address_index = ? AND asset = ? AND state = 'FINAL' AND height <= ?`,
    network,
    addressIndex,
    asset,
    height,
  );
}

/** Every index that ever had a deposit on a network. */
export function listUsedIndexes(database: Database, network: ServedNetwork): number[] {
  return database
    .all('SELECT DISTINCT address_index FROM deposits WHERE network = ?', network)
    .map((row) => Number(row['address_index']));
}

/** Updates the state of every deposit by the stored blocks. Returns the deposits whose state changed. */
export function updateDeposits(database: Database, network: ServedNetwork, finalHeight: number): Deposit[] {
  return database.transact(() =>
    database
      .all(`SELECT * FROM deposits WHERE network = ? AND state IN ('INCLUDED', 'ORPHANED')`, network)
      .map(readDepositRow)
      .flatMap((deposit) => {
        const conflict = database.one(
          `SELECT MIN(COALESCE(s.height, f.ended)) AS height FROM fences AS f
           LEFT JOIN spent AS s ON s.network = f.network AND s.fence = f.fence WHERE f.network = ? AND f.owner = ?`,
          network,
          `deposit:${deposit.txHash}`,
        )?.['height'];
        const conflictHeight = conflict == null ? null : Number(conflict);
        const state = nextDepositState(deposit.state, { height: deposit.height, conflictHeight, finalHeight });
        if (state === deposit.state) return [];
        database.run(
          'UPDATE deposits SET state = ? WHERE network = ? AND tx_hash = ? AND output_index = ?',
          state,
          network,
          deposit.txHash,
          deposit.outputIndex,
        );
        return [{ ...deposit, state }];
      }),
  );
}

/** Whether a deposit is in no block now. */
export function isOrphaned(database: Database, { network, txHash, outputIndex }: Deposit): boolean {
  const row = database.one(
    'SELECT height FROM deposits WHERE network = ? AND tx_hash = ? AND output_index = ?',
    network,
    txHash,
    outputIndex,
  );
  return row?.['height'] == null;
}

/** Notes what Bureau acknowledged: the confirmations, and the final status once it has settled the deposit. */
export function noteReported(
  database: Database,
  deposit: Deposit,
  confirmations: number,
  settled: string | null,
): void {
  database.run(
    `UPDATE deposits SET reported = MAX(reported, ?), settled = COALESCE(?, settled)
     WHERE network = ? AND tx_hash = ? AND output_index = ?`,
    confirmations,
    settled,
    deposit.network,
    deposit.txHash,
    deposit.outputIndex,
  );
}
