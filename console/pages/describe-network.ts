import type { Network } from './networks.ts';

const BESIDE_ETHEREUM = 'A cheap network beside Ethereum, with addresses that look the same: choose by the name.';

/** About how long a transfer takes on each network, and what it is, for who chooses one. Only the holders are told. */
const words: Readonly<Record<Network, readonly [takes: string, about: string]>> = {
  BTC: ['half an hour', 'Bitcoin’s own network. Addresses begin with bc1, 1 or 3.'],
  BEP20: [
    'a minute',
    'The network of BNB, cheap and fast. Addresses begin with 0x, as on Ethereum: choose by the name.',
  ],
  TRC20: ['two minutes', 'The network of Tron, often the cheapest for USDT. Addresses begin with T.'],
  SOL: ['a minute', 'Solana’s own network, cheap and fast.'],
  ETH: ['seven minutes', 'Ethereum’s own network, with the highest fees. Wallets often call it ERC-20.'],
  ARBITRUM: ['a minute', BESIDE_ETHEREUM],
  OPTIMISM: ['a minute', BESIDE_ETHEREUM],
  BASE: ['a minute', BESIDE_ETHEREUM],
  AVAX: ['a minute', 'The C-Chain of Avalanche. Addresses begin with 0x; the X-Chain’s and the P-Chain’s are others.'],
  POLYGON: ['five minutes', BESIDE_ETHEREUM],
  LTC: ['a quarter of an hour', 'Litecoin’s own network. Addresses begin with ltc1, L or M.'],
  DOGE: ['forty minutes', 'Dogecoin’s own network. Addresses begin with D.'],
};

const find = (network: string) =>
  (words as Readonly<Record<string, readonly [takes: string, about: string]>>)[network] ?? [];

/** What a network is, in a sentence; nothing where none is known. */
export const describeNetwork = (network: string): string | undefined => find(network)[1];

/** About how long a transfer takes on a network. */
export const timeOf = (network: string): string => find(network)[0] ?? 'some minutes';
