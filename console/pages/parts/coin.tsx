/** The colour of each coin's letter, as an angle of the colour wheel. */
const hues: Readonly<Record<string, number>> = {
  USDT: 165,
  USDC: 250,
  BTC: 60,
  ETH: 285,
  AVAX: 25,
  MATIC: 310,
  BNB: 90,
  LTC: 220,
  DOGE: 115,
};

/** A coin's letter in a colour of its own; its name is always beside it. The coins of the dollar go by their last letter. */
export function Badge({ asset }: { readonly asset: string }) {
  return (
    <span class="badge" aria-hidden="true" style={{ '--hue': String(hues[asset] ?? 0) }}>
      {asset.startsWith('USD') ? asset.slice(-1) : asset.slice(0, 1)}
    </span>
  );
}
