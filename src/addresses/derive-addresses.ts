import { HARDENED_OFFSET, type HDKey } from '@scure/bip32';
import { type Network, type NetworkFamily, networkRecords, networks } from '../money/networks.ts';
import { encodeBitcoinAddress } from './bitcoin-address.ts';
import type { DepositKeyName, DepositKeys } from './deposit-keys.ts';
import { encodeEvmAddress } from './evm-address.ts';
import { encodeTronAddress } from './tron-address.ts';

/** The branch of an account for receiving from outside (BIP-44, "Change"). */
const EXTERNAL_CHAIN = 0;

/** The largest index of a key that is not hardened (BIP-32). */
export const MAX_ADDRESS_INDEX = HARDENED_OFFSET - 1;

/**
 * The deposit addresses of the account with this index, on every network that has public derivation: BTC and LTC
 * `m/84'/coin'/0'/0/index` (BIP-84), DOGE, Tron and the EVM `m/44'/coin'/0'/0/index` (BIP-44), where all EVM networks
 * share one. Solana has none (SLIP-0010). Throws for an index outside 0 to 2^31 - 1.
 */
export function deriveAddresses(keys: DepositKeys, index: number): ReadonlyMap<Network, string> {
  const publicKeys = Object.fromEntries(
    Object.entries(keys).map(([name, key]) => [name, derivePublicKey(key, index)]),
  ) as PublicKeys;
  const derived = networks.flatMap((network) => {
    const address = encodeAddress(networkRecords[network].family, publicKeys);
    return address === undefined ? [] : [[network, address] as const];
  });
  return new Map(derived);
}

type PublicKeys = Readonly<Record<DepositKeyName, Uint8Array>>;

function encodeAddress(family: NetworkFamily, publicKeys: PublicKeys): string | undefined {
  switch (family.kind) {
    case 'bitcoin-like':
      return encodeBitcoinAddress(family, publicKeys[family.depositKey]);
    case 'evm':
      return encodeEvmAddress(publicKeys.EVM);
    case 'tron':
      return encodeTronAddress(publicKeys.TRC20);
    case 'solana':
      return undefined;
  }
}

function derivePublicKey(account: HDKey, index: number): Uint8Array {
  if (!Number.isInteger(index) || index < 0 || index > MAX_ADDRESS_INDEX) throw new RangeError('no such address index');
  const { publicKey } = account.deriveChild(EXTERNAL_CHAIN).deriveChild(index);
  if (!publicKey) throw new Error('an extended public key derived no public key');
  return publicKey;
}
