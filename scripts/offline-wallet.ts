import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDKey as HardenedKey } from 'micro-key-producer/slip10.js';
import { type DepositKeyName, depositKeyPaths } from '../src/addresses/deposit-keys.ts';
import { SANDBOX_SEED_HEX } from '../src/addresses/sandbox-wallet.ts';
import { encodeSolanaAddress, solanaPath } from '../src/addresses/solana-address.ts';

/**
 * Returns the seed of an English mnemonic without a passphrase (BIP-39). Throws on an invalid one, without repeating
 * it.
 */
export function readSeed(mnemonic: string): Uint8Array {
  const words = mnemonic.trim().toLowerCase().split(/\s+/).join(' ');
  if (!validateMnemonic(words, wordlist)) throw new Error('these words are not a BIP-39 mnemonic');
  return mnemonicToSeedSync(words);
}

export function isPublicSeed(seed: Uint8Array): boolean {
  return hex.encode(seed) === SANDBOX_SEED_HEX;
}

/** The value of DEPOSIT_KEYS: the extended public keys of a seed's five accounts, and nothing private. */
export function deriveDepositKeys(seed: Uint8Array): Record<DepositKeyName, string> {
  const root = HDKey.fromMasterSeed(seed);
  const keys = Object.entries(depositKeyPaths).map(([name, path]) => [name, root.derive(path).publicExtendedKey]);
  return Object.fromEntries(keys) as Record<DepositKeyName, string>;
}

/** The body of an upload to the pool: the Solana addresses of `count` account indexes from `from` on (SLIP-0010). */
export function deriveSolanaUpload(seed: Uint8Array, from: number, count: number) {
  const root = HardenedKey.fromMasterSeed(seed);
  const addresses = Array.from({ length: count }, (_, offset) => {
    const index = from + offset;
    return { index, address: encodeSolanaAddress(root.derive(solanaPath(index)).publicKeyRaw) };
  });
  return { addresses };
}
