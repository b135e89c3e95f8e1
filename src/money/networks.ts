/** The 12 deposit networks, in the order of the specification. */
export const networks = [
  'BTC',
  'BEP20',
  'TRC20',
  'SOL',
  'ETH',
  'ARBITRUM',
  'OPTIMISM',
  'BASE',
  'AVAX',
  'POLYGON',
  'LTC',
  'DOGE',
] as const;

export type Network = (typeof networks)[number];
