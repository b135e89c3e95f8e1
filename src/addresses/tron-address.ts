import { decodeBase58check, encodeBase58check } from './base58check.ts';
import { hashToAccount } from './evm-address.ts';
import { isReserved } from './reserved.ts';

const VERSION = 0x41;
const ACCOUNT_BYTES = 20;

/** The address of a compressed public key: the account of an EVM chain, in base58check under Tron's version. */
export function encodeTronAddress(publicKey: Uint8Array): string {
  return encodeBase58check(VERSION, hashToAccount(publicKey));
}

/** A Tron address in base58check; `undefined` for its hex form, a wrong checksum or version, and a reserved one. */
export function readTronAddress(text: string): string | undefined {
  const [version, ...account] = decodeBase58check(text) ?? [];
  return version === VERSION && account.length === ACCOUNT_BYTES && !isReserved(account) ? text : undefined;
}
