import { HARDENED_OFFSET, type HDKey } from '@scure/bip32';
import * as bitcoin from '@scure/btc-signer';
import { hex } from '@scure/base';
import { encodeBitcoinAddress } from '../../../src/addresses/bitcoin-address.ts';
import type { DepositKeyName, DepositKeys } from '../../../src/addresses/deposit-keys.ts';
import { encodeEvmAddress } from '../../../src/addresses/evm-address.ts';
import { type BitcoinNetwork, type ServedNetwork, bitcoinRules, isEvm } from '../networks.ts';
import type { Owner } from '../nodes/chain.ts';
import { addressFormat } from '../signer/encode.ts';
import type { HouseAddresses } from '../signer/requests.ts';
import type { Database } from './database.ts';

/** The name of the deposit key from which a network's addresses are derived. */
export function depositKeyOf(network: ServedNetwork): Exclude<DepositKeyName, 'TRC20'> {
  return isEvm(network) ? 'EVM' : network;
}

/**
 * The form in which an address is looked up in a block: on the EVM the address in lower case, on Bitcoin-like chains
 * the output's script in hex. A test network has the same scripts with other addresses, so it can be watched unchanged.
 */
export function lookupOf(network: ServedNetwork, address: string): string {
  return isEvm(network) ? address.toLowerCase() : scriptOf(network, address);
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
  /** The account's branch for external addresses (BIP-44, "Change"). */
  readonly #branch: HDKey;
  readonly #owners = new Map<string, Owner>();
  #count = 0;

  constructor(network: ServedNetwork, database: Database, keys: DepositKeys, house: HouseAddresses) {
    this.#network = network;
    this.#database = database;
    this.#branch = keys[depositKeyOf(network)].deriveChild(0);
    for (const account of ['hot', 'gas', 'cold'] as const) {
      const address = house[account];
      if (address !== null) this.#owners.set(lookupOf(network, address), { account, addressIndex: 0, address });
    }
    this.#load();
  }

  /** The owner of an address in the form of `lookupOf`, or `undefined`. */
  readonly ownerOf = (lookup: string): Owner | undefined => this.#owners.get(lookup);

  readonly addressOf = (index: number): string => this.#derive(index);

  /** Watches the addresses of all indexes below `count`, and keeps watching those it has watched before. */
  watchUpTo(count: number): void {
    // Another network with the same key may have derived and stored some of them.
    this.#load();
    const key = depositKeyOf(this.#network);
    this.#database.transact(() => {
      for (let index = this.#count; index < Math.min(count, HARDENED_OFFSET); index += 1) {
        const address = this.#derive(index);
        const lookup = lookupOf(this.#network, address);
        this.#database.run('INSERT INTO watched VALUES (?, ?, ?, ?)', key, index, lookup, address);
        this.#add(index, lookup, address);
      }
    });
  }

  #load(): void {
    const rows = this.#database.all(
      'SELECT * FROM watched WHERE deposit_key = ? AND address_index >= ? ORDER BY address_index',
      depositKeyOf(this.#network),
      this.#count,
    );
    for (const row of rows) this.#add(Number(row['address_index']), String(row['lookup']), String(row['address']));
  }

  #add(addressIndex: number, lookup: string, address: string): void {
    this.#owners.set(lookup, { account: 'deposit', addressIndex, address });
    this.#count = addressIndex + 1;
  }

  #derive(index: number): string {
    const { publicKey } = this.#branch.deriveChild(index);
    if (!publicKey) throw new Error('an extended public key derived no public key');
    return isEvm(this.#network)
      ? encodeEvmAddress(publicKey)
      : encodeBitcoinAddress(bitcoinRules[this.#network].family, publicKey);
  }
}
