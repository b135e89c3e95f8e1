import { and, eq } from 'drizzle-orm';
import type { Database } from '../../ledger/database.ts';
import { addresses } from '../../ledger/schema.ts';
import type { Network } from '../../money/networks.ts';

/**
 * The account that receives at an address, given in its canonical form (`readAddress`); `undefined` when no account
 * does. Throws when D1 fails.
 */
export async function findOwner(database: Database, network: Network, address: string): Promise<string | undefined> {
  const [row] = await database
    .select({ accountId: addresses.accountId })
    .from(addresses)
    .where(and(eq(addresses.network, network), eq(addresses.address, address)));
  return row?.accountId;
}
