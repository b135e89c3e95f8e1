/** The venues whose markets Bureau knows. */
export const venues = ['binance', 'okx', 'coinbase', 'kucoin', 'kraken', 'gate', 'bybit'] as const;

export type Venue = (typeof venues)[number];

/** An asset's USDT market at each venue, as the venue spells it; `null` where the venue has none. */
export type VenueSymbols = Readonly<Record<Venue, string | null>>;

/**
 * The USDT market of `base` in each venue's spelling. `exceptions` are the venues that know the asset by another name
 * or do not list it against USDT.
 */
export function spellMarkets(base: string, exceptions: Partial<VenueSymbols> = {}): VenueSymbols {
  return {
    binance: `${base}USDT`,
    okx: `${base}-USDT`,
    coinbase: `${base}-USDT`,
    kucoin: `${base}-USDT`,
    kraken: `${base}USDT`,
    gate: `${base}_USDT`,
    bybit: `${base}USDT`,
    ...exceptions,
  };
}

/** Of an asset that no venue trades against USDT. */
export const noMarkets: VenueSymbols = {
  binance: null,
  okx: null,
  coinbase: null,
  kucoin: null,
  kraken: null,
  gate: null,
  bybit: null,
};
