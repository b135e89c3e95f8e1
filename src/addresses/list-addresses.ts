import { z } from '@hono/zod-openapi';
import { eq } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import { logFault } from '../platform/log.ts';
import { type Outcome, accept, refuseUnconfirmed } from '../http/answer.ts';
import { commit } from '../db/commit.ts';
import { type Database, directoryOf, ledgerOf } from '../db/database.ts';
import { claimNames, nameAddress } from '../db/directory.ts';
import { addressIndexes, addresses, solanaPool } from '../db/schema.ts';
import { type Network, networkRecords, networks } from '../money/networks.ts';
import type { DepositKeys } from './deposit-keys.ts';
import { deriveAddresses } from './derive-addresses.ts';

/** An account's deposit address on one network (spec, "Deposit address"). */
export const DepositAddress = z
  .object({
    network: z.enum(networks).openapi({ example: 'BTC' }),
    address: z.string().openapi({ example: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu' }),
    primaryAsset: z.string().openapi({ description: 'The asset most often deposited there', example: 'BTC' }),
  })
  .openapi('DepositAddress');

/** The answer to a question about an account's addresses. */
export const ListedAddresses = z.object({
  addresses: z.array(DepositAddress),
  pending: z
    .array(z.enum(networks))
    .optional()
    .openapi({
      description:
        'Networks on which the account has no address yet, and gets one without doing anything; absent when there are none. Only an account that was opened before the exchange had Solana addresses can have one',
      example: ['SOL'],
    }),
});

export type ListedAddresses = z.output<typeof ListedAddresses>;

export interface AddressSources {
  readonly keys: DepositKeys;
  /**
   * Gives an account's Solana address, from its index and the pool's entry at that index; `null` when there is none yet.
   * SLIP-0010 has no public derivation, so the Worker cannot derive an address from a public key.
   */
  readonly solana: (index: number, pooled: string | null) => string | null;
}

const notConfirmed = refuseUnconfirmed('The addresses could not be kept. Try again.');

/** The addresses of an account that are stored, by network. */
export type AddressBook = ReadonlyMap<Network, string>;

/** The deposit addresses of an account: `findAddresses` and, where some are missing, `completeAddresses`. */
export async function listAddresses(
  bindings: LedgerBindings,
  sources: AddressSources,
  accountId: string,
): Promise<Outcome<ListedAddresses>> {
  return completeAddresses(bindings, sources, accountId, await findAddresses(bindings, accountId));
}

/** Reads the addresses of an account that are stored, in one round trip without a write. Throws when D1 fails. */
export async function findAddresses(bindings: LedgerBindings, accountId: string): Promise<AddressBook> {
  const rows = await ledgerOf(bindings, accountId)
    .select({ network: addresses.network, address: addresses.address })
    .from(addresses)
    .where(eq(addresses.accountId, accountId));
  return new Map(rows.map(({ network, address }) => [network, address]));
}

/**
 * The deposit addresses of an account, one per network in the order of the specification, where `kept` are those that
 * are stored. If none is missing, nothing more is read. Else all are derived, claimed in the directory and then stored
 * in the account's ledger, all or none. Where the pool has no Solana address for the account yet, the others are, and
 * Solana is pending. Refuses with `service_unavailable` when D1 does not confirm them. A later read then derives the
 * same ones. Throws when D1 fails a read or the claim.
 */
export async function completeAddresses(
  bindings: LedgerBindings,
  sources: AddressSources,
  accountId: string,
  kept: AddressBook,
): Promise<Outcome<ListedAddresses>> {
  const [database, directory] = [ledgerOf(bindings, accountId), directoryOf(bindings)];
  const missing = networks.filter((network) => !kept.has(network));
  if (missing.length === 0) return accept(showAddresses(kept));

  const made = await makeAddresses(directory, sources, accountId);
  const rows = missing.flatMap((network) => {
    const address = made.get(network);
    return address === undefined ? [] : [{ accountId, network, address }];
  });
  if (rows.length === 0) return accept(showAddresses(kept));
  await claimAddresses(directory, rows);
  const outcome = await commit(database, [database.insert(addresses).values(rows)]);
  if (outcome.kind === 'committed') return accept(showAddresses(new Map([...made, ...kept])));
  if (outcome.kind !== 'exists' && outcome.kind !== 'unknown') return notConfirmed;
  // Another first read was faster, or this one did succeed.
  const landed = await findAddresses(bindings, accountId);
  if (rows.every(({ network }) => landed.has(network))) return accept(showAddresses(landed));
  // The faster one came before the pool had the account's Solana address.
  if (landed.size > kept.size) return completeAddresses(bindings, sources, accountId, landed);
  if (outcome.kind === 'exists') throw new Error('an address of this account belongs to another');
  return notConfirmed;
}

/** Claims addresses for an account. Throws when one belongs to another account, and when D1 fails. */
async function claimAddresses(
  directory: Database,
  rows: readonly { readonly accountId: string; readonly network: Network; readonly address: string }[],
): Promise<void> {
  const [first, ...rest] = rows.map(({ accountId: holder, network, address }) => {
    return { ...nameAddress(network, address), holder };
  });
  if (!first) return;
  const holders = await claimNames(directory, [first, ...rest]);
  if (holders.some((holder) => holder !== first.holder)) {
    throw new Error('an address of this account belongs to another');
  }
}

/** Every address of an account that there is, derived from its index; nothing is stored. */
async function makeAddresses(directory: Database, sources: AddressSources, accountId: string): Promise<AddressBook> {
  const [account] = await directory
    .select({ index: addressIndexes.addressIndex, pooled: solanaPool.address })
    .from(addressIndexes)
    .leftJoin(solanaPool, eq(solanaPool.addressIndex, addressIndexes.addressIndex))
    .where(eq(addressIndexes.accountId, accountId));
  if (!account) throw new Error('an account that was admitted is not there');
  const solana = sources.solana(account.index, account.pooled);
  const derived = deriveAddresses(sources.keys, account.index);
  if (solana !== null) return new Map([...derived, ['SOL', solana] as const]);
  logFault('solana_address_pending', { accountId, addressIndex: String(account.index) });
  return derived;
}

function showAddresses(held: AddressBook): ListedAddresses {
  const pending = networks.filter((network) => !held.has(network));
  const listed = networks.flatMap((network) => {
    const address = held.get(network);
    return address === undefined ? [] : [{ network, address, primaryAsset: networkRecords[network].primaryAsset }];
  });
  return { addresses: listed, ...(pending.length > 0 && { pending }) };
}
