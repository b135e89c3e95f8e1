import { assetSymbols, assets } from '../../../src/money/assets.ts';

/** How a venue spells a coin's market against USDT. Throws when Bureau knows none. */
export function marketOf(venue: 'binance' | 'kraken', coin: string): string {
  const asset = assetSymbols.find((symbol) => symbol === coin);
  const market = asset ? assets[asset].venueSymbols[venue] : null;
  if (market === null) throw new Error(`${venue} has no market of ${coin} against USDT`);
  return market;
}

/** How balances name the coins that Bureau names otherwise: those of Kraken's first years have an X before them. */
export function nameCoins(venue: 'binance' | 'kraken', coins: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    coins.flatMap((coin) => {
      const base = marketOf(venue, coin).replace(/USDT$/, '');
      return venue === 'kraken' ? [[base, coin] as const, [`X${base}`, coin] as const] : [[base, coin] as const];
    }),
  );
}
