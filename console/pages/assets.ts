/** All assets, in the order in which they are listed. */
export const assetSymbols = ['USDT', 'USDC', 'BTC', 'ETH', 'AVAX', 'MATIC', 'BNB', 'LTC', 'DOGE'] as const;

export type Asset = (typeof assetSymbols)[number];

/** The same without the one in which prices are. */
export const coinSymbols = assetSymbols.filter((asset) => asset !== 'USDT');
