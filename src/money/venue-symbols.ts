interface VenueRecord {
  /** What Bureau can ask the venue for. */
  readonly gives: readonly ('prices' | 'candles')[];
  /** How the venue spells the market of an asset against USDT, unless the asset says otherwise. */
  spell(base: string): string;
}

/** The one list of the venues that Bureau knows. The URL of each is in a variable of its own, such as `BINANCE_URL`. */
const records = {
  binance: { gives: ['prices', 'candles'], spell: (base) => `${base}USDT` },
  okx: { gives: ['prices'], spell: (base) => `${base}-USDT` },
  coinbase: { gives: ['prices'], spell: (base) => `${base}-USDT` },
  kucoin: { gives: ['prices', 'candles'], spell: (base) => `${base}-USDT` },
  kraken: { gives: ['prices'], spell: (base) => `${base}USDT` },
  gate: { gives: ['prices'], spell: (base) => `${base}_USDT` },
  bybit: { gives: ['prices', 'candles'], spell: (base) => `${base}USDT` },
} as const satisfies Record<string, VenueRecord>;

export type Venue = keyof typeof records;

type VenueOf<What extends VenueRecord['gives'][number]> = {
  [V in Venue]: What extends (typeof records)[V]['gives'][number] ? V : never;
}[Venue];

export type PriceVenue = VenueOf<'prices'>;
export type CandleVenue = VenueOf<'candles'>;

export const venues = Object.keys(records) as Venue[];
export const priceVenues = listVenues('prices') as PriceVenue[];
export const candleVenues = listVenues('candles') as CandleVenue[];

function listVenues(what: VenueRecord['gives'][number]): Venue[] {
  return venues.filter((venue) => (records[venue] as VenueRecord).gives.includes(what));
}

/** An asset's USDT market at each venue, as the venue spells it; `null` where the venue has none. */
export type VenueSymbols = Readonly<Record<Venue, string | null>>;

/**
 * The USDT market of `base` in each venue's spelling. `exceptions` are the venues that know the asset by another name
 * or do not list it against USDT.
 */
export function spellMarkets(base: string, exceptions: Partial<VenueSymbols> = {}): VenueSymbols {
  return { ...ofEachVenue((venue) => records[venue].spell(base)), ...exceptions };
}

export const noMarkets: VenueSymbols = ofEachVenue(() => null);

function ofEachVenue<T>(give: (venue: Venue) => T): Record<Venue, T> {
  return Object.fromEntries(venues.map((venue) => [venue, give(venue)])) as Record<Venue, T>;
}
