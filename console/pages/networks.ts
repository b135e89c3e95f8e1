import type { ExchangeSettings } from './desk/schema.d.ts';

export type Network = ExchangeSettings['pausedNetworks'][number];

/** Each network's name, and where a transaction of it is looked up. */
const known: Readonly<Record<Network, readonly [name: string, explorer: string]>> = {
  BTC: ['Bitcoin', 'https://mempool.space/tx/'],
  BEP20: ['BNB Smart Chain', 'https://bscscan.com/tx/'],
  TRC20: ['Tron', 'https://tronscan.org/#/transaction/'],
  SOL: ['Solana', 'https://solscan.io/tx/'],
  ETH: ['Ethereum', 'https://etherscan.io/tx/'],
  ARBITRUM: ['Arbitrum One', 'https://arbiscan.io/tx/'],
  OPTIMISM: ['OP Mainnet', 'https://optimistic.etherscan.io/tx/'],
  BASE: ['Base', 'https://basescan.org/tx/'],
  AVAX: ['Avalanche C-Chain', 'https://snowtrace.io/tx/'],
  POLYGON: ['Polygon PoS', 'https://polygonscan.com/tx/'],
  LTC: ['Litecoin', 'https://litecoinspace.org/tx/'],
  DOGE: ['Dogecoin', 'https://dogechain.info/tx/'],
};

/** All networks, in the order of the interface. */
export const networks = Object.keys(known) as Network[];

const find = (network: string) =>
  (known as Readonly<Record<string, readonly [name: string, explorer: string]>>)[network] ?? [];

/** A network by its name alone; by its symbol where none is known. */
export const nameAlone = (network: string): string => find(network)[0] ?? network;

/** A network by its symbol and its name, such as "TRC20 (Tron)". */
export function nameNetwork(network: string): string {
  const [name] = find(network);
  return name === undefined ? network : `${network} (${name})`;
}

/** Where a transaction of a network can be looked up; nothing where none is known. */
export function linkTo(network: string, txHash: string): string | undefined {
  const [, explorer] = find(network);
  return explorer === undefined ? undefined : `${explorer}${encodeURIComponent(txHash)}`;
}
