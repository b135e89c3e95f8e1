/** What a person is told of a network: its name, about how long a transfer takes there, and where one looks it up. */
interface NetworkWords {
  readonly name: string;
  readonly takes: string;
  readonly explorer: string;
}

const words: Readonly<Record<string, NetworkWords>> = {
  BTC: { name: 'Bitcoin', takes: 'half an hour', explorer: 'https://mempool.space/tx/' },
  BEP20: { name: 'BNB Smart Chain', takes: 'a minute', explorer: 'https://bscscan.com/tx/' },
  TRC20: { name: 'Tron', takes: 'two minutes', explorer: 'https://tronscan.org/#/transaction/' },
  SOL: { name: 'Solana', takes: 'a minute', explorer: 'https://solscan.io/tx/' },
  ETH: { name: 'Ethereum', takes: 'seven minutes', explorer: 'https://etherscan.io/tx/' },
  ARBITRUM: { name: 'Arbitrum One', takes: 'a minute', explorer: 'https://arbiscan.io/tx/' },
  OPTIMISM: { name: 'OP Mainnet', takes: 'a minute', explorer: 'https://optimistic.etherscan.io/tx/' },
  BASE: { name: 'Base', takes: 'a minute', explorer: 'https://basescan.org/tx/' },
  AVAX: { name: 'Avalanche C-Chain', takes: 'a minute', explorer: 'https://snowtrace.io/tx/' },
  POLYGON: { name: 'Polygon PoS', takes: 'five minutes', explorer: 'https://polygonscan.com/tx/' },
  LTC: { name: 'Litecoin', takes: 'a quarter of an hour', explorer: 'https://litecoinspace.org/tx/' },
  DOGE: { name: 'Dogecoin', takes: 'forty minutes', explorer: 'https://dogechain.info/tx/' },
};

/** A network by its symbol and its name, such as "TRC20 (Tron)". */
export function nameNetwork(network: string): string {
  const name = words[network]?.name;
  return name === undefined ? network : `${network} (${name})`;
}

/** About how long a transfer takes on a network. */
export function timeOf(network: string): string {
  return words[network]?.takes ?? 'some minutes';
}

/** Where a transaction of a network can be looked up; nothing where none is known. */
export function linkTo(network: string, txHash: string): string | undefined {
  const explorer = words[network]?.explorer;
  return explorer && explorer + encodeURIComponent(txHash);
}
