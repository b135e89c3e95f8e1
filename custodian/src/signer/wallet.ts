import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { HDKey as HardenedKey } from 'micro-key-producer/slip10.js';
import { encodeBitcoinAddress } from '../../../src/addresses/bitcoin-address.ts';
import { encodeEvmAddress } from '../../../src/addresses/evm-address.ts';
import { depositKeyPaths } from '../../../src/addresses/deposit-keys.ts';
import { writePoolEntry } from '../../../src/addresses/pool-entry.ts';
import { encodeSolanaAddress, solanaPath } from '../../../src/addresses/solana-address.ts';
import { encodeTronAddress } from '../../../src/addresses/tron-address.ts';
import { type BitcoinNetwork, type ServedNetwork, bitcoinRules, isEvm, isSolana, isTron } from '../networks.ts';

/**
 * Which key signs. The keys of customers' deposit addresses are in account 0'. The keys of the hot wallet and of the
 * wallet that pays for gas are in account 1', so that no customer's index leads to them.
 */
export interface KeyName {
  readonly account: 'deposit' | 'hot' | 'gas';
  readonly index: number;
}

/** The hot wallet of Solana. Deposit keys end with 0'. */
const SOLANA_HOT = "m/44'/501'/0'/1'";

/** A key pair; the public key is compressed. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** An address for Bureau's pool, with the signer's signature in hex. */
export interface PoolEntry {
  readonly index: number;
  readonly address: string;
  readonly signature: string;
}

const HOT_ACCOUNT = 1;
const DEPOSIT_ACCOUNT = 0;

const HOT_PLACE = 0;
const GAS_PLACE = 1;

/** The branch of the account, and the key's index in it. */
function locate({ account, index }: KeyName): { readonly branch: string; readonly place: number } {
  if (account === 'deposit') return { branch: `${DEPOSIT_ACCOUNT}'/0`, place: index };
  return { branch: `${HOT_ACCOUNT}'/0`, place: account === 'gas' ? GAS_PLACE : HOT_PLACE };
}

/** The keys of one mnemonic. They exist only in the memory of the signer. */
export class Wallet {
  readonly #root: HDKey;
  readonly #hardened: HardenedKey;
  /** The seed of an Ed25519 key that holds no coins. */
  readonly #signerSeed: Uint8Array;
  /** The exchange whose wallet this is, as `writePoolEntry` names it. */
  readonly #exchange: string;
  /** Each branch is derived once, because hardened derivation is slow. */
  readonly #branches = new Map<string, HDKey>();

  constructor(mnemonic: string) {
    const seed = mnemonicToSeedSync(mnemonic);
    this.#root = HDKey.fromMasterSeed(seed);
    this.#hardened = HardenedKey.fromMasterSeed(seed);
    this.#exchange = this.#root.derive(depositKeyPaths.EVM).publicExtendedKey;
    this.#signerSeed = hmac(sha256, seed, new TextEncoder().encode('bureau-burnt-v1'));
  }

  /** A key of the EVM networks, `m/44'/60'/account'/0/index`; all seven share it. */
  evmKey(name: KeyName): KeyPair {
    return this.#derive("m/44'/60'", name);
  }

  /** A key of Tron, `m/44'/195'/account'/0/index`. */
  tronKey(name: KeyName): KeyPair {
    return this.#derive("m/44'/195'", name);
  }

  /** A key of a Bitcoin-like chain: BIP-84 where it has segwit, else BIP-44. */
  bitcoinKey(network: BitcoinNetwork, name: KeyName): KeyPair {
    const { family, coinType } = bitcoinRules[network];
    const purpose = family.segwitPrefix === null ? 44 : 84;
    return this.#derive(`m/${purpose}'/${coinType}'`, name);
  }

  /** A key of Solana (SLIP-0010), `m/44'/501'/index'/0'` for a deposit address. There is no gas key. */
  solanaKey({ account, index }: KeyName): KeyPair {
    const { privateKey, publicKeyRaw } = this.#hardened.derive(account === 'deposit' ? solanaPath(index) : SOLANA_HOT);
    return { privateKey, publicKey: publicKeyRaw };
  }

  /** The public key of `signBurnt` and `signSolanaAddress`, in hex: the Worker's CUSTODY_SIGNER_KEY. */
  get signerKey(): string {
    return hex.encode(ed25519.getPublicKey(this.#signerSeed));
  }

  /** Signs that an id is burnt, and whether a payment was signed for it before: docs/custody.md, "A refusal with proof". */
  signBurnt(withdrawalId: string, signed: boolean): string {
    return this.#signText(`bureau-burnt-v1.${withdrawalId}.${signed}`);
  }

  /** The Solana address of an index, and the signature with which Bureau takes it into its pool: docs/custody.md, "Addresses". */
  signSolanaAddress(index: number): PoolEntry {
    const address = this.solanaAddress({ account: 'deposit', index });
    return { index, address, signature: this.#signText(writePoolEntry(this.#exchange, 'SOL', index, address)) };
  }

  #signText(text: string): string {
    return hex.encode(ed25519.sign(new TextEncoder().encode(text), this.#signerSeed));
  }

  evmAddress(name: KeyName): string {
    return encodeEvmAddress(this.evmKey(name).publicKey);
  }

  tronAddress(name: KeyName): string {
    return encodeTronAddress(this.tronKey(name).publicKey);
  }

  /** The address of a key on a network. */
  addressOf(network: ServedNetwork, name: KeyName): string {
    if (isTron(network)) return this.tronAddress(name);
    if (isSolana(network)) return this.solanaAddress(name);
    return isEvm(network) ? this.evmAddress(name) : this.bitcoinAddress(network, name);
  }

  bitcoinAddress(network: BitcoinNetwork, name: KeyName): string {
    return encodeBitcoinAddress(bitcoinRules[network].family, this.bitcoinKey(network, name).publicKey);
  }

  solanaAddress(name: KeyName): string {
    return encodeSolanaAddress(this.solanaKey(name).publicKey);
  }

  #derive(coin: string, name: KeyName): KeyPair {
    const { branch, place } = locate(name);
    const path = `${coin}/${branch}`;
    const parent = this.#branches.get(path) ?? this.#root.derive(path);
    this.#branches.set(path, parent);
    const { privateKey, publicKey } = parent.deriveChild(place);
    if (!privateKey || !publicKey) throw new Error(`no key at ${path}/${place}`);
    return { privateKey, publicKey };
  }
}
