import type { EvmNetwork, ServedNetwork } from '../networks.ts';
import type { Database } from './database.ts';

/** How a halt begins that a restored database causes. */
export const OLDER = 'database_is_older';

const RESTORED_AT = 'restored_at_ms';

/**
 * Notes that this database was restored from a backup at this time. What the chains know and it does not is taken over
 * while it catches up. Payouts that were open in the backup and have no fence, or one that dies, may have been paid since
 * with another: they wait for a person. Ids from before that time that it does not know are never answered as *never seen*. The same time again changes
 * nothing that a person has decided since.
 */
export function noteRestored(database: Database, at_ms: number): void {
  database.transact(() => {
    database.run(
      `INSERT INTO facts VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = MAX(CAST(value AS INTEGER), ?2)`,
      RESTORED_AT,
      String(at_ms),
    );
    database.run('DELETE FROM nonces');
    database.run(`UPDATE chains SET adopted = 0, halted = iif(halted LIKE '${OLDER}%', NULL, halted)`);
    const open = database.all(
      `SELECT id, accepted_at_ms FROM spends
       WHERE purpose = 'payout' AND restored = 0 AND (fence IS NULL AND state IN ('QUEUED', 'HELD') OR EXISTS (
         SELECT 1 FROM fences AS f WHERE f.network = spends.network AND f.fence = spends.fence AND f.dies_at IS NOT NULL)
         AND state IN ('QUEUED', 'HELD', 'SIGNED', 'INCLUDED'))`,
    );
    for (const row of open) {
      // Bureau may have submitted an old one again before anybody said that this is a backup.
      const isOld = Number(row['accepted_at_ms']) <= at_ms || mayBeForgotten(database, String(row['id']));
      if (isOld) database.run('UPDATE spends SET restored = 1, allowed = 0 WHERE id = ?', String(row['id']));
    }
    database.run(`DELETE FROM spends WHERE purpose <> 'payout' AND fence IS NULL AND state IN ('QUEUED', 'HELD')`);
  });
}

/** Notes that a restored database has read a chain to its end. */
export function noteAdopted(database: Database, network: ServedNetwork): void {
  database.run('UPDATE chains SET adopted = 1 WHERE network = ? AND adopted = 0', network);
}

/** Whether a payout of this id could have been accepted by a database that was lost: its id is older than the restoring. */
export function mayBeForgotten(database: Database, withdrawalId: string): boolean {
  const at_ms = database.one('SELECT value FROM facts WHERE name = ?', RESTORED_AT)?.['value'];
  if (at_ms === undefined) return false;
  // The time of a UUIDv7 (RFC 9562). Of any other id nobody knows it.
  const isTimed = withdrawalId[14] === '7';
  return !isTimed || Number.parseInt(withdrawalId.slice(0, 8) + withdrawalId.slice(9, 13), 16) <= Number(at_ms);
}

/**
 * Why the nonce of an address shows that this database is older than the chain: the chain has counted more transactions
 * than the database knows. The first count is taken as known. `undefined` when there is nothing to say.
 */
export function findOlderNonce(
  database: Database,
  network: EvmNetwork,
  address: string,
  counted: bigint,
): string | undefined {
  const name = address.toLowerCase();
  const known = database.one('SELECT known FROM nonces WHERE network = ? AND address = ?', network, name)?.['known'];
  if (known === undefined) noteNonce(database, network, name, counted);
  if (known === undefined || counted <= BigInt(String(known))) return undefined;
  return `${OLDER}: the chain counts ${counted} transactions of ${address}, the database ${String(known)}`;
}

/** Notes that the transactions of an address below this nonce are known. Call it before one is sent. */
export function noteNonce(database: Database, network: EvmNetwork, address: string, next: bigint): void {
  const name = address.toLowerCase();
  const known = database.one('SELECT known FROM nonces WHERE network = ? AND address = ?', network, name)?.['known'];
  if (known !== undefined && BigInt(String(known)) >= next) return;
  database.run(
    'INSERT INTO nonces VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET known = excluded.known',
    network,
    name,
    String(next),
  );
}
