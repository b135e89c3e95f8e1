import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import type { Wallet } from '../custodian/src/signer/wallet.ts';
import { type DepositKeyName, depositKeyPaths } from '../src/addresses/deposit-keys.ts';
import { SANDBOX_SEED_HEX } from '../src/addresses/sandbox-wallet.ts';

/** Returns an English mnemonic (BIP-39) with single blanks, as it is hashed. Throws on an invalid one, without repeating it. */
export function readMnemonic(text: string): string {
  const words = text.trim().toLowerCase().split(/\s+/).join(' ');
  if (!validateMnemonic(words, wordlist)) throw new Error('these words are not a BIP-39 mnemonic');
  return words;
}

/** Returns the seed of a mnemonic without a passphrase. Throws as `readMnemonic` does. */
export function readSeed(mnemonic: string): Uint8Array {
  return mnemonicToSeedSync(readMnemonic(mnemonic));
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

/** The body of an upload to the pool: the Solana addresses of `count` account indexes from `from` on, signed. */
export function deriveSolanaUpload(wallet: Wallet, from: number, count: number) {
  return { addresses: Array.from({ length: count }, (_, offset) => wallet.signSolanaAddress(from + offset)) };
}
