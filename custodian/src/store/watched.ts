import { HARDENED_OFFSET } from '@scure/bip32';
import * as bitcoin from '@scure/btc-signer';
import { hex } from '@scure/base';
import { encodeBitcoinAddress } from '../../../src/addresses/bitcoin-address.ts';
import type { DepositKeys } from '../../../src/addresses/deposit-keys.ts';
import { encodeEvmAddress } from '../../../src/addresses/evm-address.ts';
import { encodeTronAddress } from '../../../src/addresses/tron-address.ts';
import { accountOf } from '../account-address.ts';
import {
  type AccountNetwork,
  type BitcoinNetwork,
  type ServedNetwork,
  bitcoinRules,
  isBitcoinLike,
  isEvm,
  isSolana,
  isTron,
} from '../networks.ts';
import type { Owner } from '../nodes/chain.ts';
import { addressFormat } from '../signer/encode.ts';
import { type HouseAddresses, MAX_ADDRESSES } from '../signer/requests.ts';
import type { Database } from './database.ts';

/** The name of the key under which a network's addresses are stored. The EVM networks share one. */
function depositKeyOf(network: ServedNetwork): string {
  return isEvm(network) ? 'EVM' : network;
}

/** The addresses of `count` indexes from `from` on, in order. */
export type DeriveAddresses = (from: number, count: number) => Promise<readonly string[]>;

/** Derives the addresses of a network whose derivation has a public half (BIP-44, "Change": the external branch). */
export function deriveFromKey(network: AccountNetwork | BitcoinNetwork, keys: DepositKeys): DeriveAddresses {
  const branch = keys[isEvm(network) ? 'EVM' : network].deriveChild(0);
  const derive = (index: number): string => {
    const { publicKey } = branch.deriveChild(index);
    if (!publicKey) throw new Error('an extended public key derived no public key');
    if (isTron(network)) return encodeTronAddress(publicKey);
    return isEvm(network) ? encodeEvmAddress(publicKey) : encodeBitcoinAddress(bitcoinRules[network].family, publicKey);
  };
  return (from, count) => Promise.resolve(Array.from({ length: count }, (_, place) => derive(from + place)));
}

/**
 * The form in which an address is looked up in a block: on the EVM and Tron its account in lower-case hex, on Bitcoin-like
 * chains the output's script in hex, on Solana the address. A test network has the same scripts with other addresses, so it
 * can be watched unchanged.
 */
export function lookupOf(network: ServedNetwork, address: string): string {
  if (isBitcoinLike(network)) return scriptOf(network, address);
  return isSolana(network) ? address : accountOf(network, address);
}

/** The script that pays to an address, in hex. Throws when it is not an address of the network. */
export function scriptOf(network: BitcoinNetwork, address: string): string {
  const format = addressFormat(network);
  return hex.encode(bitcoin.OutScript.encode(bitcoin.Address(format).decode(address)));
}

/** The deposit addresses of one key, and the house's addresses on one network. Each is derived once and stored. */
export class WatchedAddresses {
  readonly #network: ServedNetwork;
  readonly #database: Database;
  readonly #derive: DeriveAddresses;
  readonly #owners = new Map<string, Owner>();
  /** The deposit addresses by their index. */
  readonly #addresses: string[] = [];

  constructor(network: ServedNetwork, database: Database, derive: DeriveAddresses, house: HouseAddresses) {
    this.#network = network;
    this.#database = database;
    this.#derive = derive;
    for (const account of ['hot', 'gas', 'cold'] as const) {
      const address = house[account];
      if (address !== null) this.#owners.set(lookupOf(network, address), { account, addressIndex: 0, address });
    }
    this.#load();
  }

  /** The owner of an address in the form of `lookupOf`, or `undefined`. */
  readonly ownerOf = (lookup: string): Owner | undefined => this.#owners.get(lookup);

  /** The deposit address of an index that is watched. */
  readonly addressOf = (index: number): string => {
    const address = this.#addresses[index];
    if (address === undefined) throw new Error(`the address ${index} is not watched`);
    return address;
  };

  /**
   * Watches the addresses of all indexes below `count`, and keeps watching those it has watched before. Rejects when they
   * cannot be derived.
   */
  async watchUpTo(count: number): Promise<void> {
    // Another network with the same key may have derived and stored some of them.
    this.#load();
    const key = depositKeyOf(this.#network);
    const end = Math.min(count, HARDENED_OFFSET);
    for (let from = this.#addresses.length; from < end; from = this.#addresses.length) {
      const addresses = await this.#derive(from, Math.min(MAX_ADDRESSES, end - from));
      if (addresses.length === 0) throw new Error('no addresses were derived');
      this.#database.transact(() => {
        for (const [place, address] of addresses.entries()) {
          const lookup = lookupOf(this.#network, address);
          this.#database.run('INSERT INTO watched VALUES (?, ?, ?, ?)', key, from + place, lookup, address);
          this.#add(from + place, lookup, address);
        }
      });
    }
  }

  #load(): void {
    const rows = this.#database.all(
      'SELECT * FROM watched WHERE deposit_key = ? AND address_index >= ? ORDER BY address_index',
      depositKeyOf(this.#network),
      this.#addresses.length,
    );
    for (const row of rows) this.#add(Number(row['address_index']), String(row['lookup']), String(row['address']));
  }

  #add(addressIndex: number, lookup: string, address: string): void {
    this.#owners.set(lookup, { account: 'deposit', addressIndex, address });
    this.#addresses[addressIndex] = address;
  }
}
