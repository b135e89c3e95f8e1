import { and, eq, max, sql } from 'drizzle-orm';
import { type Database, bindPrepared, prepareOnce } from './database.ts';
import { addressIndexes, claims, solanaPool } from './schema.ts';

/** A name that one holder has in the whole exchange. */
export interface ClaimedName {
  readonly kind: 'address' | 'output' | 'settlement' | 'external_id' | 'opening' | 'refused_receipt' | 'funding';
  readonly name: string;
}

/** A claim on a name for its holder: an account's id, or a ledger's number. */
export interface Claim extends ClaimedName {
  readonly holder: string;
}

/** The name of an address, held by the account that receives there. */
export function nameAddress(network: string, address: string): ClaimedName {
  return { kind: 'address', name: `${network} ${address}` };
}

/** The name of an output of a transaction, held by the ledger that has its deposit. */
export function nameOutput(network: string, txHash: string, outputIndex: number): ClaimedName {
  return { kind: 'output', name: `${network} ${txHash} ${outputIndex}` };
}

/** The query of the holder of a name, with the values `kind` and `name`. */
export const selectHolder = prepareOnce((directory) =>
  directory
    .select({ holder: claims.holder })
    .from(claims)
    .where(and(eq(claims.kind, sql.placeholder('kind')), eq(claims.name, sql.placeholder('name'))))
    .prepare(),
);

/** The holder of each name, in the order of the names; `undefined` where nobody holds it. Throws when D1 fails. */
export async function findHolders(
  directory: Database,
  names: readonly [ClaimedName, ...ClaimedName[]],
): Promise<(string | undefined)[]> {
  const [first, ...rest] = names.map(({ kind, name }) => bindPrepared(selectHolder(directory), { kind, name }));
  if (!first) return [];
  const found = await directory.batch([first, ...rest]);
  return found.map(([row]) => row?.holder);
}

/**
 * Claims names for good, in one round trip, and returns who holds each: the first who claimed it, which may be somebody
 * else. Claiming a name again is no error. A claim is made before the record that it is for, so that of two records
 * under one name at most one has the claim. Throws when D1 fails; the claims may then be made.
 */
export async function claimNames(directory: Database, wanted: readonly [Claim, ...Claim[]]): Promise<string[]> {
  const insert = directory.insert(claims).select(sql`
    SELECT entry.value ->> 'kind', entry.value ->> 'name', entry.value ->> 'holder'
    FROM json_each(${JSON.stringify(wanted)}) AS entry
    WHERE NOT EXISTS (
      SELECT 1 FROM ${claims} AS held
      WHERE held.kind = entry.value ->> 'kind' AND held.name = entry.value ->> 'name')`);
  const looks = wanted.map(({ kind, name }) => bindPrepared(selectHolder(directory), { kind, name }));
  const [, ...found] = await directory.batch([insert, ...looks]);
  return found.map(([row]) => {
    if (!row) throw new Error('a name that was just claimed has no holder');
    return row.holder;
  });
}

/**
 * Takes the next address index for an account that is about to be opened, and with it the Solana address of that index
 * in the pool. `undefined` when the pool has fewer addresses left than `leastPooled`; 0 takes an index without asking. The
 * index is never given again, also when the account is not opened after all. Throws when D1 fails.
 */
export async function takeAddressIndex(
  directory: Database,
  accountId: string,
  leastPooled: number,
): Promise<number | undefined> {
  // The pool is filled without a gap, so the last of those that must be left shows that all are.
  const [row] = await directory
    .insert(addressIndexes)
    .select(
      sql`
      SELECT next, ${accountId} FROM (SELECT coalesce(max(address_index) + 1, 0) AS next FROM ${addressIndexes})
      WHERE ${leastPooled} = 0 OR 2 = (
        SELECT count(*) + (${leastPooled} = 1) FROM ${solanaPool}
        WHERE ${solanaPool.addressIndex} IN (next, next + ${leastPooled} - 1))`,
    )
    .returning({ index: addressIndexes.addressIndex });
  return row?.index;
}

/** How many address indexes are taken. They go from 0 on without a gap. Throws when D1 fails. */
export async function countAddressIndexes(directory: Database): Promise<number> {
  const [row] = await directory.select({ highest: max(addressIndexes.addressIndex) }).from(addressIndexes);
  return (row?.highest ?? -1) + 1;
}
