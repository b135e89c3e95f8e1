/** The colour of each coin's letter, as an angle of the colour wheel. */
const hues = {
  USDT: 165,
  USDC: 250,
  BTC: 60,
  ETH: 285,
  AVAX: 25,
  MATIC: 310,
  BNB: 90,
  LTC: 220,
  DOGE: 115,
} as const;

type Asset = keyof typeof hues;

/** All assets, in the order in which they are listed. */
export const assetSymbols = Object.keys(hues) as readonly Asset[];

/** The same without the one in which prices are. */
export const coinSymbols = assetSymbols.filter((asset) => asset !== 'USDT');

const isListed = (asset: string): asset is Asset => asset in hues;

/** A coin's letter in a colour of its own; its name is always beside it. The coins of the dollar go by their last letter. */
export function Badge({ asset }: { readonly asset: string }) {
  return (
    <span class="badge" aria-hidden="true" style={{ '--hue': String(isListed(asset) ? hues[asset] : 0) }}>
      {asset.startsWith('USD') ? asset.slice(-1) : asset.slice(0, 1)}
    </span>
  );
}
