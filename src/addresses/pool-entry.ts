import type { Network } from '../money/networks.ts';

/**
 * What the custodian's signer signs about a deposit address that no public key derives: it belongs to the account of this
 * index at this exchange. `exchange` is the exchange's wallet, named by the extended public key EVM of its DEPOSIT_KEYS,
 * which no other has.
 */
export function writePoolEntry(exchange: string, network: Network, index: number, address: string): string {
  return `bureau-address-v1.${exchange}.${network}.${index}.${address}`;
}
