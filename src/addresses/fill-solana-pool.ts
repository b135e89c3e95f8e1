import { z } from '@hono/zod-openapi';
import { sql } from 'drizzle-orm';
import {
  type FieldError,
  type FieldFault,
  type Outcome,
  accept,
  refuse,
  refuseFields,
  refuseUnconfirmed,
} from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commitOrRefuse } from '../db/explain.ts';
import type { Database } from '../db/database.ts';
import { addressIndexes, solanaPool } from '../db/schema.ts';
import { MAX_ADDRESS_INDEX } from './derive-addresses.ts';
import { readAddress } from './validate-address.ts';

const MAX_ADDRESSES = 1_000;

/** Enough for a thousand addresses as `npm run make:addresses` writes them. */
export const MAX_UPLOAD_BYTES = 128 * 1024;

/** Solana addresses made offline, each for the account of its index. */
export const SolanaUpload = z
  .strictObject({
    addresses: z
      .array(
        z.strictObject({
          index: z.int().min(0).max(MAX_ADDRESS_INDEX).openapi({ example: 0 }),
          address: z.string().openapi({ example: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk' }),
        }),
      )
      .min(1)
      .max(MAX_ADDRESSES),
  })
  .openapi('SolanaUpload');

export type SolanaUpload = z.output<typeof SolanaUpload>;

/** Where the pool ends, and which index is needed next. */
export const SolanaPool = z
  .object({
    accepted: z.int().openapi({ description: 'Addresses of this upload that the pool now holds', example: 1000 }),
    highestIndex: z.int().openapi({ description: 'The highest index that the pool holds', example: 999 }),
    nextAccountIndex: z.int().openapi({ description: 'The index of the next account to be opened', example: 12 }),
  })
  .openapi('SolanaPool');

export type SolanaPool = z.output<typeof SolanaPool>;

/**
 * Adds addresses to the pool, all or none. Entries that it has already are no error, so an upload may be repeated.
 * Refuses with `invalid_request` (names every entry that is no valid address or appears twice), `invalid_state` when an
 * index or an address belongs to another entry, and `service_unavailable` when the outcome in D1 is unknown.
 */
export async function fillSolanaPool(
  directory: Database,
  upload: SolanaUpload,
  actor: Actor,
): Promise<Outcome<SolanaPool>> {
  const errors = findFaults(upload);
  if (errors.length > 0) return refuseFields(errors);
  const indexes = upload.addresses.map(({ index }) => index);
  const changes = [
    insertMissing(directory, upload),
    insertAudit(directory, actor, 'fill_solana_pool', 'solana_pool', { indexes }),
  ] as const;
  const refused = await commitOrRefuse(directory, changes, { exists: anotherEntry }, notConfirmed);
  return refused ?? accept(await readPool(directory, upload.addresses.length));
}

const anotherEntry = refuse(
  'invalid_state',
  'The pool holds another address at one of these indexes, or one at another index.',
);

const notConfirmed = refuseUnconfirmed('The upload was not confirmed. Send it again.');

function findFaults({ addresses }: SolanaUpload): FieldError[] {
  const indexes = new Set<number>();
  const seen = new Set<string>();
  return addresses.flatMap(({ index, address }, position) => {
    const faults: FieldError[] = [];
    const blame = (field: string, code: FieldFault, detail: string) =>
      faults.push({ pointer: `/addresses/${position}/${field}`, code, detail });
    if (readAddress('SOL', address) === undefined) blame('address', 'wrong_format', 'is not the address of a wallet');
    if (indexes.has(index)) blame('index', 'repeated', 'comes twice');
    if (seen.has(address)) blame('address', 'repeated', 'comes twice');
    indexes.add(index);
    seen.add(address);
    return faults;
  });
}

/** One statement, so that skipping and refusing are decided at the moment of the write. */
function insertMissing(database: Database, { addresses }: SolanaUpload) {
  return database.insert(solanaPool).select(sql`
    SELECT entry.value ->> 'index', entry.value ->> 'address' FROM json_each(${JSON.stringify(addresses)}) AS entry
    WHERE NOT EXISTS (
      SELECT 1 FROM ${solanaPool} AS held
      WHERE held.address_index = entry.value ->> 'index' AND held.address = entry.value ->> 'address')`);
}

async function readPool(database: Database, accepted: number): Promise<SolanaPool> {
  const [row] = await database.all<{ highestIndex: number; nextAccountIndex: number }>(sql`
    SELECT (SELECT max(address_index) FROM ${solanaPool}) AS highestIndex,
      (SELECT coalesce(max(address_index) + 1, 0) FROM ${addressIndexes}) AS nextAccountIndex`);
  if (!row) throw new Error('a query of two numbers gave none');
  return { accepted, ...row };
}
