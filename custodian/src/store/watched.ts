import { HARDENED_OFFSET, type HDKey } from '@scure/bip32';
import * as bitcoin from '@scure/btc-signer';
import { hex } from '@scure/base';
import { encodeBitcoinAddress } from '../../../src/wallet/addresses/bitcoin-address.ts';
import type { DepositKeyName, DepositKeys } from '../../../src/wallet/addresses/deposit-keys.ts';
import { encodeEvmAddress } from '../../../src/wallet/addresses/evm-address.ts';
import { type BitcoinNetwork, type ServedNetwork, bitcoinRules, isEvm } from '../networks.ts';
import type { Owner } from '../nodes/chain.ts';
import { addressFormat } from '../signer/encode.ts';
import type { HouseAddresses } from '../signer/requests.ts';
import type { Database } from './database.ts';

/** The deposit key whose addresses a network has. */
export function depositKeyOf(network: ServedNetwork): Exclude<DepositKeyName, 'TRC20'> {
  return isEvm(network) ? 'EVM' : network;
}

/**
 * How a block names an address: an EVM address in lower case, the output's script in hex on Bitcoin-like chains, so that a
 * test network, which writes the same script as another address, is watched unchanged.
 */
export function lookupOf(network: ServedNetwork, address: string): string {
  return isEvm(network) ? address.toLowerCase() : scriptOf(network, address);
}

/** The script that pays to an address, in hex. Throws for what is no address of the network. */
export function scriptOf(network: BitcoinNetwork, address: string): string {
  const format = addressFormat(network);
  return hex.encode(bitcoin.OutScript.encode(bitcoin.Address(format).decode(address)));
}

/** The deposit addresses of one key, and the house's own on one network. Each is derived once, and kept. */
export class WatchedAddresses {
  readonly #network: ServedNetwork;
  readonly #database: Database;
  /** The branch of the account for receiving from outside (BIP-44, "Change"). */
  readonly #branch: HDKey;
  readonly #owners = new Map<string, Owner>();
  #count = 0;

  constructor(network: ServedNetwork, database: Database, keys: DepositKeys, house: HouseAddresses) {
    this.#network = network;
    this.#database = database;
    this.#branch = keys[depositKeyOf(network)].deriveChild(0);
    for (const account of ['hot', 'gas'] as const) {
      const address = house[account];
      if (address !== null) this.#owners.set(lookupOf(network, address), { account, addressIndex: 0, address });
    }
    this.#load();
  }

  /** Whose an address is, as a block names it. */
  readonly ownerOf = (lookup: string): Owner | undefined => this.#owners.get(lookup);

  /** The deposit address with this index. */
  readonly addressOf = (index: number): string => this.#derive(index);

  /** Watches the addresses of all indexes below `count`. What is watched stays watched. */
  watchUpTo(count: number): void {
    // Networks that share a key share what was derived of it.
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
