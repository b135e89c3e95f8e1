import { assetSymbols, assets } from '../../../src/money/assets.ts';

/** How a venue spells a coin's market against USDT. Throws when Bureau knows none. */
export function marketOf(venue: 'binance' | 'kraken', coin: string): string {
  const asset = assetSymbols.find((symbol) => symbol === coin);
  const market = asset ? assets[asset].venueSymbols[venue] : null;
  if (market === null) throw new Error(`${venue} has no market of ${coin} against USDT`);
  return market;
}
