import { z } from '@hono/zod-openapi';
import { eq } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import { logFault } from '../platform/log.ts';
import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
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

export type DepositAddress = z.output<typeof DepositAddress>;

export interface AddressSources {
  readonly keys: DepositKeys;
  /**
   * Gives an account's Solana address, from its index and the pool's entry at that index; `null` when there is none yet.
   * SLIP-0010 has no public derivation, so the Worker cannot derive an address from a public key.
   */
  readonly solana: (index: number, pooled: string | null) => string | null;
}

const notReady = refuse(
  'service_unavailable',
  'There is no Solana (SOL) address for this account yet: the pool of addresses that the operator fills holds none for it. Nothing else is wrong. Try again later.',
  { retryAfterSeconds: 60 },
);

const notConfirmed = refuseUnconfirmed('The addresses could not be kept. Try again.');

/** The addresses of an account that are stored, by network. */
export type AddressBook = ReadonlyMap<Network, string>;

/** The deposit addresses of an account: `findAddresses` and, where some are missing, `completeAddresses`. */
export async function listAddresses(
  bindings: LedgerBindings,
  sources: AddressSources,
  accountId: string,
): Promise<Outcome<DepositAddress[]>> {
  return completeAddresses(bindings, sources, accountId, await findAddresses(bindings, accountId));
}

/** Reads the addresses of an account that are stored, in one round trip without a write. Throws when D1 fails. */
export function findAddresses(bindings: LedgerBindings, accountId: string): Promise<AddressBook> {
  return readAddresses(ledgerOf(bindings, accountId), accountId);
}

/**
 * The deposit addresses of an account, one per network in the order of the specification, where `kept` are those that
 * are stored. If none is missing, nothing more is read. Else all are derived, claimed in the directory and then stored
 * in the account's ledger, all or none. Refuses with `service_unavailable` when the pool has no Solana address for the
 * account yet, or when D1 does not confirm them. A later read then derives the same ones. Throws when D1 fails a read
 * or the claim.
 */
export async function completeAddresses(
  bindings: LedgerBindings,
  sources: AddressSources,
  accountId: string,
  kept: AddressBook,
): Promise<Outcome<DepositAddress[]>> {
  const [database, directory] = [ledgerOf(bindings, accountId), directoryOf(bindings)];
  const missing = networks.filter((network) => !kept.has(network));
  if (missing.length === 0) return accept(showAddresses(kept));

  const made = await makeAddresses(directory, sources, accountId);
  if (!made.ok) return made;
  const rows = missing.map((network) => ({ accountId, network, address: addressOn(made.value, network) }));
  await claimAddresses(directory, rows);
  const outcome = await commit(database, [database.insert(addresses).values(rows)]);
  if (outcome.kind === 'committed') return accept(showAddresses(new Map([...made.value, ...kept])));
  if (outcome.kind !== 'exists' && outcome.kind !== 'unknown') return notConfirmed;
  // Another first read was faster, or this one did succeed.
  const landed = await readAddresses(database, accountId);
  if (networks.every((network) => landed.has(network))) return accept(showAddresses(landed));
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

async function readAddresses(database: Database, accountId: string): Promise<AddressBook> {
  const rows = await database
    .select({ network: addresses.network, address: addresses.address })
    .from(addresses)
    .where(eq(addresses.accountId, accountId));
  return new Map(rows.map(({ network, address }) => [network, address]));
}

/** Every address of an account, derived from its index; nothing is stored. */
async function makeAddresses(
  directory: Database,
  sources: AddressSources,
  accountId: string,
): Promise<Outcome<ReadonlyMap<Network, string>>> {
  const [account] = await directory
    .select({ index: addressIndexes.addressIndex, pooled: solanaPool.address })
    .from(addressIndexes)
    .leftJoin(solanaPool, eq(solanaPool.addressIndex, addressIndexes.addressIndex))
    .where(eq(addressIndexes.accountId, accountId));
  if (!account) throw new Error('an account that was admitted is not there');
  const solana = sources.solana(account.index, account.pooled);
  if (solana === null) {
    logFault('solana_pool_exhausted', { addressIndex: String(account.index) });
    return notReady;
  }
  return accept(new Map([...deriveAddresses(sources.keys, account.index), ['SOL', solana] as const]));
}

function showAddresses(held: ReadonlyMap<Network, string>): DepositAddress[] {
  return networks.map((network) => ({
    network,
    address: addressOn(held, network),
    primaryAsset: networkRecords[network].primaryAsset,
  }));
}

function addressOn(held: ReadonlyMap<Network, string>, network: Network): string {
  const address = held.get(network);
  if (address === undefined) throw new Error(`there is no way to make an address on ${network}`);
  return address;
}
