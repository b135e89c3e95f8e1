import type { ExchangeSettings } from './desk/schema.d.ts';

export type Network = ExchangeSettings['pausedNetworks'][number];

/** What a person is told of a network: its name, about how long a transfer takes there, and where one looks it up. */
interface NetworkWords {
  readonly name: string;
  /** What it is, in a sentence, for who chooses one. */
  readonly about: string;
  readonly takes: string;
  readonly explorer: string;
}

const BESIDE_ETHEREUM = 'A cheap network beside Ethereum, with addresses that look the same: choose by the name.';

const words: Readonly<Record<Network, NetworkWords>> = {
  BTC: {
    name: 'Bitcoin',
    about: 'Bitcoin’s own network. Addresses begin with bc1, 1 or 3.',
    takes: 'half an hour',
    explorer: 'https://mempool.space/tx/',
  },
  BEP20: {
    name: 'BNB Smart Chain',
    about: 'The network of BNB, cheap and fast. Addresses begin with 0x, as on Ethereum: choose by the name.',
    takes: 'a minute',
    explorer: 'https://bscscan.com/tx/',
  },
  TRC20: {
    name: 'Tron',
    about: 'The network of Tron, often the cheapest for USDT. Addresses begin with T.',
    takes: 'two minutes',
    explorer: 'https://tronscan.org/#/transaction/',
  },
  SOL: {
    name: 'Solana',
    about: 'Solana’s own network, cheap and fast.',
    takes: 'a minute',
    explorer: 'https://solscan.io/tx/',
  },
  ETH: {
    name: 'Ethereum',
    about: 'Ethereum’s own network, which most wallets mean by ERC-20. Its fees are the highest.',
    takes: 'seven minutes',
    explorer: 'https://etherscan.io/tx/',
  },
  ARBITRUM: { name: 'Arbitrum One', about: BESIDE_ETHEREUM, takes: 'a minute', explorer: 'https://arbiscan.io/tx/' },
  OPTIMISM: {
    name: 'OP Mainnet',
    about: BESIDE_ETHEREUM,
    takes: 'a minute',
    explorer: 'https://optimistic.etherscan.io/tx/',
  },
  BASE: { name: 'Base', about: BESIDE_ETHEREUM, takes: 'a minute', explorer: 'https://basescan.org/tx/' },
  AVAX: {
    name: 'Avalanche C-Chain',
    about: 'The C-Chain of Avalanche. Addresses begin with 0x; the X-Chain’s and the P-Chain’s are others.',
    takes: 'a minute',
    explorer: 'https://snowtrace.io/tx/',
  },
  POLYGON: {
    name: 'Polygon PoS',
    about: BESIDE_ETHEREUM,
    takes: 'five minutes',
    explorer: 'https://polygonscan.com/tx/',
  },
  LTC: {
    name: 'Litecoin',
    about: 'Litecoin’s own network. Addresses begin with ltc1, L or M.',
    takes: 'a quarter of an hour',
    explorer: 'https://litecoinspace.org/tx/',
  },
  DOGE: {
    name: 'Dogecoin',
    about: 'Dogecoin’s own network. Addresses begin with D.',
    takes: 'forty minutes',
    explorer: 'https://dogechain.info/tx/',
  },
};

/** All networks, in the order of the interface. */
export const networks = Object.keys(words) as Network[];

const find = (network: string) => (words as Readonly<Record<string, NetworkWords>>)[network];

/** A network by its symbol and its name, such as "TRC20 (Tron)". */
export function nameNetwork(network: string): string {
  const name = find(network)?.name;
  return name === undefined ? network : `${network} (${name})`;
}

/** What a network is, in a sentence; nothing where none is known. */
export function describeNetwork(network: string): string | undefined {
  return find(network)?.about;
}

/** About how long a transfer takes on a network. */
export function timeOf(network: string): string {
  return find(network)?.takes ?? 'some minutes';
}

/** Where a transaction of a network can be looked up; nothing where none is known. */
export function linkTo(network: string, txHash: string): string | undefined {
  const explorer = find(network)?.explorer;
  return explorer && explorer + encodeURIComponent(txHash);
}
