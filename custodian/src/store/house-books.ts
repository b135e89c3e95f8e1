import type { ServedNetwork } from '../networks.ts';
import type { Database } from './database.ts';
import { SPENT } from './spends.ts';

/**
 * What payouts of an asset have moved away in the stored blocks and Bureau still counts as held, because it has not
 * settled their withdrawals.
 */
export function sumLeaving(database: Database, network: ServedNetwork, asset: string): bigint {
  return database.sum(
    `SELECT sum_atoms(p.atoms) AS sum FROM ${SPENT} JOIN versions AS v ON v.spend_id = p.id AND v.tx_hash = s.tx_hash
     WHERE p.network = ? AND p.asset = ? AND p.purpose = 'payout' AND p.heard = 0 AND s.reverted = 0 AND v.cancels = 0`,
    network,
    asset,
  );
}

/**
 * What is left in the stored blocks of the coins with which the house pays network fees: those that it put into the hot
 * wallet, and those that the gas wallet sent to deposit addresses, less all fees that were paid from there. Never
 * negative: when more was paid, the rest came out of the coins that are held for customers.
 */
export function sumFeeFloat(database: Database, network: ServedNetwork, given: bigint): bigint {
  const sent = database.sum(
    `SELECT sum_atoms(p.atoms) AS sum FROM ${SPENT} WHERE p.network = ? AND p.purpose = 'gas' AND s.reverted = 0`,
    network,
  );
  const paid = database.sum(
    `SELECT sum_atoms(COALESCE(s.fee, v.fee)) AS sum FROM ${SPENT}
     LEFT JOIN versions AS v ON v.spend_id = p.id AND v.tx_hash = s.tx_hash WHERE p.network = ? AND p.purpose <> 'gas'`,
    network,
  );
  const left = given + sent - paid;
  return left > 0n ? left : 0n;
}
