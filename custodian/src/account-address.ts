import { hex } from '@scure/base';
import { decodeBase58check, encodeBase58check } from '../../src/addresses/base58check.ts';
import { type AccountNetwork, isTron } from './networks.ts';

const TRON_VERSION = 0x41;
const TRON_BYTES = 21;

/**
 * The account of an address, as transactions and logs name it: 20 bytes in lower-case hex behind `0x`. Throws when it is no
 * address of Tron.
 */
export function accountOf(network: AccountNetwork, address: string): string {
  if (!isTron(network)) return address.toLowerCase();
  const bytes = decodeBase58check(address);
  if (bytes?.length !== TRON_BYTES || bytes[0] !== TRON_VERSION) throw new Error(`${address} is no address of Tron`);
  return `0x${hex.encode(bytes.subarray(1))}`;
}

/** The Tron address of an account in hex. */
export function tronAddressOf(account: string): string {
  return encodeBase58check(TRON_VERSION, hex.decode(account.slice(2)));
}
