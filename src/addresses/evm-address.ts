import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex, utf8 } from '@scure/base';
import { isReserved } from './reserved.ts';

const SYNTAX = /^0x([0-9a-f]{40}|[0-9A-F]{40}|[0-9a-fA-F]{40})$/;

/** The 20 bytes that identify a public key on EVM chains and Tron: the end of the hash of the uncompressed key. */
export function hashToAccount(publicKey: Uint8Array): Uint8Array {
  return keccak_256(secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1)).subarray(-20);
}

/** The address of a compressed public key, with its checksum (EIP-55). */
export function encodeEvmAddress(publicKey: Uint8Array): string {
  return writeChecksum(hex.encode(hashToAccount(publicKey)));
}

/**
 * The canonical form, EIP-55, of an EVM address. All lower or all upper case has no checksum and is accepted; mixed
 * case must match it. `undefined` for everything else, and for an address that chains reserve.
 */
export function readEvmAddress(text: string): string | undefined {
  const digits = SYNTAX.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const lower = digits.toLowerCase();
  if (isReserved([...hex.decode(lower)])) return undefined;
  const canonical = writeChecksum(lower);
  const isUniform = digits === lower || digits === digits.toUpperCase();
  return isUniform || text === canonical ? canonical : undefined;
}

/** EIP-55: a letter is upper case where the hash of the lower-case digits has a digit of 8 or more. */
function writeChecksum(lower: string): string {
  const hash = hex.encode(keccak_256(utf8.decode(lower)));
  return `0x${lower.replaceAll(/[a-f]/g, (letter, place: number) => (hash.charAt(place) >= '8' ? letter.toUpperCase() : letter))}`;
}
