import { createBase58check } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2.js';

const base58check = createBase58check(sha256);

/** The bytes of a base58check text, its version first; `undefined` where alphabet or checksum is wrong. */
export function decodeBase58check(text: string): Uint8Array | undefined {
  try {
    return base58check.decode(text);
  } catch {
    return undefined;
  }
}

export function encodeBase58check(version: number, hash: Uint8Array): string {
  return base58check.encode(Uint8Array.of(version, ...hash));
}
