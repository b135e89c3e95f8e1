import { type Asset, type AssetNetwork, assetSymbols, assets } from '../../src/money/assets.ts';
import { type BitcoinLike, type Network, networkRecords } from '../../src/money/networks.ts';

/** The networks that this custodian can serve, by family. */
export const evmNetworks = ['ETH', 'BEP20', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVAX', 'POLYGON'] as const;
export const bitcoinNetworks = ['BTC', 'LTC', 'DOGE'] as const;
export const solanaNetworks = ['SOL'] as const;
export const tronNetworks = ['TRC20'] as const;
export const servedNetworks = [...evmNetworks, ...bitcoinNetworks, ...solanaNetworks, ...tronNetworks] as const;

export type EvmNetwork = (typeof evmNetworks)[number];
export type BitcoinNetwork = (typeof bitcoinNetworks)[number];
export type SolanaNetwork = (typeof solanaNetworks)[number];
export type TronNetwork = (typeof tronNetworks)[number];
export type ServedNetwork = (typeof servedNetworks)[number];
/** A network of accounts with balances, whose tokens are contracts of an EVM. */
export type AccountNetwork = EvmNetwork | TronNetwork;

/** EIP-155 chain ids. */
export const chainIds: Readonly<Record<EvmNetwork, bigint>> = {
  ETH: 1n,
  BEP20: 56n,
  ARBITRUM: 42_161n,
  OPTIMISM: 10n,
  BASE: 8453n,
  AVAX: 43_114n,
  POLYGON: 137n,
};

/** The most gas that one transaction may have: of a payment in the network's coin, and of a call of a token. */
export interface GasBounds {
  readonly coin: number;
  readonly token: number;
}

/**
 * What a payment needs, with room for a recipient that is a wallet's contract. A recipient decides how much gas his
 * contract burns, so his estimate must not. Arbitrum counts what the data costs on Ethereum as gas.
 */
export const usualGasBounds = (network: EvmNetwork): GasBounds =>
  network === 'ARBITRUM' ? { coin: 2_000_000, token: 3_000_000 } : { coin: 100_000, token: 200_000 };

/** The bound that applies to a transaction with this call data. */
export function gasBoundOf({ coin, token }: GasBounds, data: string): bigint {
  return BigInt(data === '0x' ? coin : token);
}

/** The rules of a Bitcoin-like chain that differ from the others and matter for payments. */
export interface BitcoinRules {
  readonly family: BitcoinLike;
  /** The coin type of SLIP-44. */
  readonly coinType: number;
  /**
   * Whether nodes relay a replacement with a higher fee (BIP-125). Litecoin Core has it off, and not every node and miner
   * of Dogecoin has it on. There a child pays for its parent instead, which needs no rule of its own.
   */
  readonly hasReplacement: boolean;
  /** Nodes relay no output below this, in atoms. */
  readonly dust: bigint;
  /** Whether `getblock` returns only ids, as Dogecoin's does, so that transactions are read one by one. */
  readonly readsBlocksById: boolean;
}

export const bitcoinRules: Readonly<Record<BitcoinNetwork, BitcoinRules>> = {
  BTC: { ...named('BTC'), coinType: 0, hasReplacement: true, dust: 546n, readsBlocksById: false },
  LTC: { ...named('LTC'), coinType: 2, hasReplacement: false, dust: 5_460n, readsBlocksById: false },
  DOGE: { ...named('DOGE'), coinType: 3, hasReplacement: false, dust: 1_000_000n, readsBlocksById: true },
};

function named(network: BitcoinNetwork): { readonly family: BitcoinLike } {
  const { family } = networkRecords[network];
  if (family.kind !== 'bitcoin-like') throw new Error(`${network} is not Bitcoin-like`);
  return { family };
}

export function isEvm(network: string): network is EvmNetwork {
  return evmNetworks.some((name) => name === network);
}

export function isBitcoinLike(network: string): network is BitcoinNetwork {
  return bitcoinNetworks.some((name) => name === network);
}

export function isSolana(network: string): network is SolanaNetwork {
  return solanaNetworks.some((name) => name === network);
}

export function isTron(network: string): network is TronNetwork {
  return tronNetworks.some((name) => name === network);
}

export interface Listing extends AssetNetwork {
  readonly asset: Asset;
}

/** Every asset of a network, including the network's own coin. */
export function listAssets(network: Network): Listing[] {
  return assetSymbols.flatMap((asset) =>
    assets[asset].networks.filter((listed) => listed.network === network).map((listed) => ({ ...listed, asset })),
  );
}

/** The asset of this symbol on a network, or `undefined`. */
export function findListing(network: Network, asset: string): Listing | undefined {
  return listAssets(network).find((listed) => listed.asset === asset);
}

/**
 * When the newest block of a node is older than this, the node is behind, or a clock is wrong. Blocks of Bitcoin come
 * after ten minutes on average, and after two hours now and then.
 */
export function maxTipAge_ms(network: ServedNetwork): number {
  return isBitcoinLike(network) ? 3 * 60 * 60_000 : 10 * 60_000;
}

/** The hash of each chain's first block; on Tron its id. */
export const genesisHashes: Readonly<Record<BitcoinNetwork | TronNetwork, string>> = {
  BTC: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  LTC: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
  DOGE: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691',
  TRC20: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
};

/** The hash of the first block of Solana's main network. */
export const SOLANA_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** The name of the network's own coin, for a person. */
export function coinOf(network: ServedNetwork): string {
  if (isTron(network)) return 'TRX';
  return isEvm(network)
    ? { ETH: 'ETH', BEP20: 'BNB', ARBITRUM: 'ETH', OPTIMISM: 'ETH', BASE: 'ETH', AVAX: 'AVAX', POLYGON: 'POL' }[network]
    : network;
}

/** Decimals of the network's own coin, in which fees are paid. It need not be an asset of Bureau. */
export function coinDecimals(network: ServedNetwork): number {
  if (isSolana(network)) return 9;
  if (isTron(network)) return 6;
  return isEvm(network) ? 18 : 8;
}
