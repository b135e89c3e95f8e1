import { type Network, type NetworkFamily, networkRecords } from '../money/networks.ts';
import { readBitcoinAddress } from './bitcoin-address.ts';
import { readEvmAddress } from './evm-address.ts';
import { readSolanaAddress } from './solana-address.ts';
import { readTronAddress } from './tron-address.ts';
import { isUnowned } from './unowned-addresses.ts';

/**
 * The characters and the length (BIP-173) of every address. More is refused here, even if a decoder would accept it.
 */
const SYNTAX = /^[0-9A-Za-z]{1,90}$/;

/**
 * The canonical form of an address on a network: one text per destination, to store and to compare (EIP-55 on EVM
 * networks, lower case in bech32). `undefined` when it is not an address there, its checksum is wrong, or nobody can
 * own it: zero, a precompile, a burn address, a listed token's contract. Nothing is trimmed or repaired.
 */
export function readAddress(network: Network, text: string): string | undefined {
  if (!SYNTAX.test(text)) return undefined;
  const address = readFormat(networkRecords[network].family, text);
  return address === undefined || isUnowned(network, address) ? undefined : address;
}

function readFormat(family: NetworkFamily, text: string): string | undefined {
  switch (family.kind) {
    case 'bitcoin-like':
      return readBitcoinAddress(family, text);
    case 'evm':
      return readEvmAddress(text);
    case 'tron':
      return readTronAddress(text);
    case 'solana':
      return readSolanaAddress(text);
  }
}
