import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { mnemonicToEntropy, entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { z } from 'zod';

/** scrypt then takes 128 MiB and about half a second. The file contains the cost with which it was made. */
const DEFAULT_LOG2_COST = 17;
const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const SALT_BYTES = 32;
const MIN_PASSPHRASE_LENGTH = 12;

const Base64 = z.base64();

const write = (bytes: Buffer) => bytes.toString('base64');
const read = (text: string) => Buffer.from(text, 'base64');

/** A mnemonic's entropy, encrypted by AES-256-GCM under a key that scrypt (RFC 7914) derives from a passphrase. */
export const Keystore = z.strictObject({
  version: z.literal(1),
  log2Cost: z.number().int().min(10).max(22),
  salt: Base64,
  nonce: Base64,
  ciphertext: Base64,
  tag: Base64,
});

export type Keystore = z.output<typeof Keystore>;

function deriveKey(passphrase: string, salt: Buffer, log2Cost: number): Buffer {
  const cost = 2 ** log2Cost;
  return scryptSync(passphrase.normalize('NFKC'), salt, KEY_BYTES, {
    N: cost,
    r: BLOCK_SIZE,
    p: 1,
    maxmem: 256 * BLOCK_SIZE * cost,
  });
}

function writeHeader(log2Cost: number, salt: Buffer): Buffer {
  return Buffer.from(`bureau-keystore.1.${log2Cost}.${salt.toString('base64')}`);
}

/**
 * Encrypts an English mnemonic. Throws when the words are not a mnemonic or the passphrase has less than 12 characters.
 * The error contains neither.
 */
export function sealKeystore(mnemonic: string, passphrase: string, log2Cost = DEFAULT_LOG2_COST): Keystore {
  if (passphrase.length < MIN_PASSPHRASE_LENGTH) {
    throw new Error(`the passphrase is shorter than ${MIN_PASSPHRASE_LENGTH} characters`);
  }
  const entropy = readEntropy(mnemonic);
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', deriveKey(passphrase, salt, log2Cost), nonce);
  cipher.setAAD(writeHeader(log2Cost, salt));
  const ciphertext = Buffer.concat([cipher.update(entropy), cipher.final()]);
  return {
    version: 1,
    log2Cost,
    salt: write(salt),
    nonce: write(nonce),
    ciphertext: write(ciphertext),
    tag: write(cipher.getAuthTag()),
  };
}

function readEntropy(mnemonic: string): Uint8Array {
  try {
    return mnemonicToEntropy(mnemonic.trim().toLowerCase().split(/\s+/).join(' '), wordlist);
  } catch {
    throw new Error('these words are not a BIP-39 mnemonic');
  }
}

/** The mnemonic of a keystore. Throws when the passphrase is wrong or the file was changed. */
export function openKeystore(keystore: Keystore, passphrase: string): string {
  const salt = read(keystore.salt);
  const key = deriveKey(passphrase, salt, keystore.log2Cost);
  const decipher = createDecipheriv('aes-256-gcm', key, read(keystore.nonce), { authTagLength: 16 });
  decipher.setAAD(writeHeader(keystore.log2Cost, salt));
  decipher.setAuthTag(read(keystore.tag));
  try {
    const entropy = Buffer.concat([decipher.update(read(keystore.ciphertext)), decipher.final()]);
    return entropyToMnemonic(entropy, wordlist);
  } catch {
    throw new Error('the keystore does not open: wrong passphrase, or the file was changed');
  }
}
