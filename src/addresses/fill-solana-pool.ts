import { z } from '@hono/zod-openapi';
import { asc, gte, sql } from 'drizzle-orm';
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
import { verifySignature } from '../platform/verify-signature.ts';
import { commitOrRefuse } from '../db/explain.ts';
import type { Database } from '../db/database.ts';
import { addressIndexes, solanaPool } from '../db/schema.ts';
import { MAX_ADDRESS_INDEX } from './derive-addresses.ts';
import { writePoolEntry } from './pool-entry.ts';
import { readAddress } from './validate-address.ts';

const MAX_ADDRESSES = 500;

/** Enough for five hundred addresses as the custodian and `npm run make:addresses` write them. */
export const MAX_UPLOAD_BYTES = 128 * 1024;

const MAX_PAGE = 1_000;

const PooledAddress = z.strictObject({
  index: z.int().min(0).max(MAX_ADDRESS_INDEX).openapi({ example: 0 }),
  address: z.string().openapi({ example: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk' }),
});

/** Solana addresses, each for the account of its index, and with the word of the signer that has its key. */
export const SolanaUpload = z
  .strictObject({
    addresses: z
      .array(
        PooledAddress.extend({
          signature: z
            .string()
            .regex(/^[0-9a-f]{128}$/, 'is no Ed25519 signature in hex')
            .openapi({ description: 'The signer’s, see docs/custody.md', example: '1f'.repeat(64) }),
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
    accepted: z.int().openapi({ description: 'Addresses of this upload that the pool now holds', example: 500 }),
    highestIndex: z.int().openapi({ description: 'The highest index that the pool holds', example: 499 }),
    nextAccountIndex: z.int().openapi({ description: 'The index of the next account to be opened', example: 12 }),
  })
  .openapi('SolanaPool');

export type SolanaPool = z.output<typeof SolanaPool>;

/** Whose word is believed about an address: the signer's public key in hex, empty for nobody's, and of which exchange. */
export interface PoolSigner {
  readonly signerKey: string;
  readonly exchange: string;
}

/**
 * Adds addresses to the pool, all or none. Entries that it has already are no error, so an upload may be repeated.
 * Refuses with `invalid_request` (names every entry that is no valid address, appears twice or is not signed by the
 * signer), `invalid_state` when no signer is configured, or an index or an address belongs to another entry, and
 * `service_unavailable` when the outcome in D1 is unknown.
 */
export async function fillSolanaPool(
  directory: Database,
  upload: SolanaUpload,
  signer: PoolSigner,
  actor: Actor,
): Promise<Outcome<SolanaPool>> {
  if (signer.signerKey === '') return noSigner;
  const errors = [...findFaults(upload), ...(await findForeign(upload, signer))];
  if (errors.length > 0) return refuseFields(errors);
  const indexes = upload.addresses.map(({ index }) => index);
  const changes = [
    insertMissing(directory, upload),
    insertAudit(directory, actor, 'fill_solana_pool', 'solana_pool', { indexes }),
  ] as const;
  const refused = await commitOrRefuse(directory, changes, { exists: anotherEntry }, notConfirmed);
  return refused ?? accept(await readPool(directory, upload.addresses.length));
}

/** The entries of the pool with an index from `from` on, in order, at most a thousand. Throws when D1 fails. */
export async function readPoolPage(directory: Database, from: number) {
  const page = await directory
    .select({ index: solanaPool.addressIndex, address: solanaPool.address })
    .from(solanaPool)
    .where(gte(solanaPool.addressIndex, from))
    .orderBy(asc(solanaPool.addressIndex))
    .limit(MAX_PAGE);
  return { addresses: page };
}

/** The answer to a question about the pool. */
export const SolanaPoolPage = { addresses: z.array(PooledAddress) };

const noSigner = refuse(
  'invalid_state',
  'CUSTODY_SIGNER_KEY is not set, so nobody’s word about an address can be checked.',
);

/** The last Solana addresses of the pool are for accounts that the staff opens: nobody else can use all of them up. */
const LEFT_TO_STAFF = 200;

/** How many Solana addresses the pool must have left for an account to be opened, by who opens it; 0 where none is used. */
export function chooseLeastPooled(source: 'sandbox' | 'pool') {
  return source === 'pool' ? { operator: 1, holder: LEFT_TO_STAFF + 1 } : { operator: 0, holder: 0 };
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

/** The entries that the signer has not signed for this exchange. */
async function findForeign({ addresses }: SolanaUpload, { signerKey, exchange }: PoolSigner): Promise<FieldError[]> {
  const faults: FieldError[] = [];
  for (const [position, { index, address, signature }] of addresses.entries()) {
    if (await verifySignature(signerKey, signature, writePoolEntry(exchange, 'SOL', index, address))) continue;
    const pointer = `/addresses/${position}/signature`;
    faults.push({ pointer, code: 'not_valid', detail: 'is not the signer’s for this exchange, index and address' });
  }
  return faults;
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
