/** A chain whose addresses are a hash behind a version byte or, where it has segwit, a witness program. */
export interface BitcoinLike {
  readonly kind: 'bitcoin-like';
  /** The account key that deposit addresses are derived from. */
  readonly depositKey: 'BTC' | 'LTC' | 'DOGE';
  /** Version bytes of base58check: pay to public key hash, and to script hash. */
  readonly publicKeyHashVersion: number;
  readonly scriptHashVersion: number;
  /** The human-readable part of segwit addresses (BIP-173); `null` where the chain has none. */
  readonly segwitPrefix: string | null;
}

/** How a network writes its addresses. */
export type NetworkFamily = BitcoinLike | { readonly kind: 'evm' | 'tron' | 'solana' };

/** All that Bureau knows about one network. To add a network, add a record; there is no other list. */
export interface NetworkRecord {
  readonly name: string;
  readonly family: NetworkFamily;
  /** The asset most often deposited there, one that the network carries. */
  readonly primaryAsset: string;
  /** Confirmations after which a deposit is credited. */
  readonly confirmations: number;
  /** What an address looks like, for documents and forms. Only `readAddress` decides whether it is valid. */
  readonly addressPattern: string;
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const BECH32 = '[02-9ac-hj-np-z]';
const BECH32_UPPER = '[02-9AC-HJ-NP-Z]';

const evm = { family: { kind: 'evm' }, addressPattern: '^0x[0-9a-fA-F]{40}$' } as const;

/** A hash of 20 bytes in base58check, or a witness program of version 0 or 1. */
function patternOf(firstLetters: string, segwitPrefix: string): string {
  const lower = `${segwitPrefix}1(q${BECH32}{38}|[qp]${BECH32}{58})`;
  const upper = `${segwitPrefix.toUpperCase()}1(Q${BECH32_UPPER}{38}|[QP]${BECH32_UPPER}{58})`;
  return `^([${firstLetters}]${BASE58}{25,33}|${lower}|${upper})$`;
}

/** The 12 deposit networks, in the order of the specification ("Deposit address"). */
const records = {
  BTC: {
    name: 'Bitcoin',
    family: {
      kind: 'bitcoin-like',
      depositKey: 'BTC',
      publicKeyHashVersion: 0x00,
      scriptHashVersion: 0x05,
      segwitPrefix: 'bc',
    },
    primaryAsset: 'BTC',
    confirmations: 3,
    addressPattern: patternOf('13', 'bc'),
  },
  BEP20: { name: 'BNB Smart Chain', ...evm, primaryAsset: 'USDT', confirmations: 15 },
  TRC20: {
    name: 'Tron',
    family: { kind: 'tron' },
    primaryAsset: 'USDT',
    addressPattern: `^T${BASE58}{33}$`,
    confirmations: 20,
  },
  SOL: {
    name: 'Solana',
    family: { kind: 'solana' },
    primaryAsset: 'USDC',
    addressPattern: `^${BASE58}{32,44}$`,
    confirmations: 32,
  },
  ETH: { name: 'Ethereum', ...evm, primaryAsset: 'ETH', confirmations: 32 },
  ARBITRUM: { name: 'Arbitrum One', ...evm, primaryAsset: 'USDC', confirmations: 20 },
  OPTIMISM: { name: 'OP Mainnet', ...evm, primaryAsset: 'USDC', confirmations: 20 },
  BASE: { name: 'Base', ...evm, primaryAsset: 'USDC', confirmations: 20 },
  AVAX: { name: 'Avalanche C-Chain', ...evm, primaryAsset: 'AVAX', confirmations: 12 },
  POLYGON: { name: 'Polygon PoS', ...evm, primaryAsset: 'MATIC', confirmations: 128 },
  LTC: {
    name: 'Litecoin',
    family: {
      kind: 'bitcoin-like',
      depositKey: 'LTC',
      publicKeyHashVersion: 0x30,
      // Not the older 0x05: it writes `3…`, which is also a Bitcoin address, so coins could go to the wrong chain.
      scriptHashVersion: 0x32,
      segwitPrefix: 'ltc',
    },
    primaryAsset: 'LTC',
    confirmations: 6,
    addressPattern: patternOf('LM', 'ltc'),
  },
  DOGE: {
    name: 'Dogecoin',
    family: {
      kind: 'bitcoin-like',
      depositKey: 'DOGE',
      publicKeyHashVersion: 0x1e,
      scriptHashVersion: 0x16,
      segwitPrefix: null,
    },
    primaryAsset: 'DOGE',
    confirmations: 40,
    addressPattern: `^[DA9]${BASE58}{25,33}$`,
  },
} as const satisfies Record<string, NetworkRecord>;

export type Network = keyof typeof records;

export const networkRecords: Readonly<Record<Network, NetworkRecord>> = records;

export const networks = Object.keys(records) as [Network, ...Network[]];

export function findNetwork(name: string): Network | undefined {
  return networks.find((network) => network === name);
}
