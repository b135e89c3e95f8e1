import { secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bech32, bech32m } from '@scure/base';
import type { BitcoinLike } from '../money/networks.ts';
import { decodeBase58check, encodeBase58check } from './base58check.ts';
import { isReserved } from './reserved.ts';

const HASH_BYTES = 20;
const SCRIPT_PROGRAM_BYTES = 32;

/**
 * The address that a compressed public key receives at: native segwit (P2WPKH, BIP-84 and BIP-173) where the chain
 * has it, else its hash (P2PKH, BIP-44).
 */
export function encodeBitcoinAddress(family: BitcoinLike, publicKey: Uint8Array): string {
  const hash = ripemd160(sha256(publicKey));
  if (family.segwitPrefix === null) return encodeBase58check(family.publicKeyHashVersion, hash);
  return bech32.encode(family.segwitPrefix, [0, ...bech32.toWords(hash)]);
}

/**
 * The canonical form of an address of a Bitcoin-like chain: base58check as it is, segwit in lower case. `undefined`
 * for another chain's version or prefix, a wrong checksum (BIP-173 for version 0, BIP-350 for version 1), mixed case,
 * a program of another length, and witness versions from 2 on, which anyone can spend today.
 */
export function readBitcoinAddress(family: BitcoinLike, text: string): string | undefined {
  if (family.segwitPrefix !== null && text.toLowerCase().startsWith(`${family.segwitPrefix}1`)) {
    return isWitness(family.segwitPrefix, text) ? text.toLowerCase() : undefined;
  }
  const [version, ...hash] = decodeBase58check(text) ?? [];
  const isKnown = version === family.publicKeyHashVersion || version === family.scriptHashVersion;
  return isKnown && hash.length === HASH_BYTES && !isReserved(hash) ? text : undefined;
}

function isWitness(prefix: string, text: string): boolean {
  const version0 = bech32.decodeUnsafe(text);
  const decoded = version0 ?? bech32m.decodeUnsafe(text);
  if (decoded?.prefix !== prefix) return false;
  const [version, ...words] = decoded.words;
  const program = bech32.fromWordsUnsafe(words);
  if (!program || isReserved([...program])) return false;
  if (version0) return version === 0 && (program.length === HASH_BYTES || program.length === SCRIPT_PROGRAM_BYTES);
  return version === 1 && program.length === SCRIPT_PROGRAM_BYTES && isTaprootKey(program);
}

/** Whether a taproot program is a valid key (BIP-341, lift_x). Coins sent to any other are lost for good. */
function isTaprootKey(program: Uint8Array): boolean {
  return secp256k1.utils.isValidPublicKey(Uint8Array.of(0x02, ...program), true);
}
