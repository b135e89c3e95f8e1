import { type AssetRecord, assets } from '../money/assets.ts';
import { type Network, networkRecords } from '../money/networks.ts';

/** Addresses in a valid format whose keys nobody has. In lower case for the EVM. */
const burned: Readonly<Record<'evm' | 'bitcoin-like' | 'tron' | 'solana', readonly string[]>> = {
  evm: [
    '0xdead000000000000000000000000000000000000',
    '0xdead000000000000000042069420694206942069',
    '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
    '0x0123456789012345678901234567890123456789',
    // The OP stack's own: the legacy token of its coin, and the sender of its system transactions.
    '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000',
    '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
    // The sender of system calls (EIP-4788).
    '0xfffffffffffffffffffffffffffffffffffffffe',
  ],
  'bitcoin-like': ['1BitcoinEaterAddressDontSendf59kuE'],
  // The burn address of Tron's first block.
  tron: ['TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
  // Programs whose address happens to be on the curve: the two token programs, associated accounts, and memo.
  solana: [
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  ],
};

/**
 * An address with this many equal characters in a row was written by hand, not derived from a key
 * (`1CounterpartyXXXXXXXXXXXXXXXUWLpVr`, the sysvars of Solana): finding a key for 14 chosen characters takes 2^70
 * attempts and more.
 */
const SPELLED = /(.)\1{13}/;

/** The contracts of all assets on each network, whichever asset is withdrawn. */
const contracts = new Set(
  Object.values<AssetRecord>(assets).flatMap((asset) =>
    asset.networks.flatMap((on) => (on.contractAddress === null ? [] : nameOn(on.network, on.contractAddress))),
  ),
);

function nameOn(network: Network, address: string): string {
  return `${network} ${networkRecords[network].family.kind === 'evm' ? address.toLowerCase() : address}`;
}

/** Whether nobody can receive at a valid address: it is a listed token's contract, or a burn address. */
export function isUnowned(network: Network, address: string): boolean {
  const { kind } = networkRecords[network].family;
  if (contracts.has(nameOn(network, address))) return true;
  if (kind === 'evm') return burned.evm.includes(address.toLowerCase());
  return burned[kind].includes(address) || SPELLED.test(address);
}
