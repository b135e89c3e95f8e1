import { type Coin, assets, coinSymbols } from '../../../../src/money/assets.ts';
import { type Venue as VenueName, spellMarkets, venues as venueNames } from '../../../../src/money/venue-symbols.ts';

export { type VenueName, venueNames };

/** How a venue answers: well, or in one of the ways that venues fail. */
export type VenueMode =
  | 'ok'
  /** The venue's own words for a failure of its own, with the status that they come with. */
  | 'error'
  /** The venue's own words for being asked too often, with the status that they come with. */
  | 'limited'
  /** A web page with status 200, as a wall in front of the venue gives. */
  | 'html'
  /** Valid so far, then over. */
  | 'truncated'
  /** Well-formed JSON of 5 MB. */
  | 'huge'
  /** No answer until the next reset, which breaks the connection. */
  | 'hang'
  /** The connection breaks. */
  | 'reset';

/** One market of a venue, under the venue's own symbol. Numbers are text, so that a test can send what is none. */
export interface VenueMarket {
  readonly price: string;
  readonly open: string;
  readonly volume: string;
  /** The best orders; both are the price unless told, and `null` is a side without any. */
  readonly bid?: string | null;
  readonly ask?: string | null;
  /** Fields of the venue's own words, in place of what it would have written. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** How far the venue's own time of the price lies behind the clock; negative is ahead. */
  readonly age_ms: number;
}

/**
 * What a test changes of coins' markets. A market needs a price; its open is the same price unless given. `null` takes the
 * coin off the venue's list.
 */
export type CoinChanges = Readonly<Partial<Record<Coin, (Pick<VenueMarket, 'price'> & Partial<VenueMarket>) | null>>>;

/** Everything that a test may set of a venue. */
export interface Venue {
  readonly mode: VenueMode;
  /** With mode `error` or `limited`: another status for it, such as 429 or 451. */
  readonly status: number | null;
  /** With mode `error` or `limited`: the Retry-After header. */
  readonly retryAfter: string | null;
  readonly delay_ms: number;
  readonly markets: Readonly<Record<string, VenueMarket>>;
  /** Answers given word for word instead of those made from the markets. */
  readonly tickers: unknown;
  readonly klines: unknown;
}

/** What a test changes: of the markets those named, where `null` is a market that the venue no longer has. */
export type VenueChanges = Partial<
  Record<VenueName, Partial<Omit<Venue, 'markets'>> & { readonly markets?: Record<string, VenueMarket | null> }>
>;

/** How often each kind of question came since the last reset. */
export type VenueRequests = Record<VenueName, { tickers: number; klines: number }>;

/** What a coin costs at Binance, to which the others are close. */
export const prices: Readonly<Record<Coin, string>> = {
  USDC: '1.0001',
  BTC: '65000.12',
  ETH: '2500.5',
  AVAX: '15.43',
  MATIC: '0.2112',
  BNB: '601.7',
  LTC: '71.28',
  DOGE: '0.10427',
};

/** How far each venue is off, in hundredths of a percent. */
const offsets: Readonly<Record<VenueName, number>> = {
  binance: 0,
  okx: 2,
  coinbase: -1,
  kucoin: 3,
  kraken: 1,
  gate: -2,
  bybit: 4,
};

/** Markets that every venue lists beside those that Bureau wants; who takes one for a coin's shows a price of 7. */
function listStrangers(name: VenueName): string[] {
  const bitcoin = assets.BTC.venueSymbols[name] ?? '';
  return [spellMarkets('SHIB')[name] ?? '', bitcoin.replace('USDT', 'USDC')];
}

function createVenue(name: VenueName): Venue {
  const own = coinSymbols.flatMap((coin) => {
    const symbol = assets[coin].venueSymbols[name];
    return symbol === null ? [] : [[symbol, shiftPrice(prices[coin], offsets[name])] as const];
  });
  const strangers = listStrangers(name).map((symbol) => [symbol, '7'] as const);
  const markets = [...strangers, ...own].map(
    ([symbol, price]) => [symbol, { price, open: price, volume: '1000', age_ms: 0 }] as const,
  );
  return {
    mode: 'ok',
    status: null,
    retryAfter: null,
    delay_ms: 0,
    tickers: undefined,
    klines: undefined,
    markets: Object.fromEntries(markets),
  };
}

function shiftPrice(price: string, hundredths: number): string {
  return hundredths === 0 ? price : (Number(price) * (1 + hundredths / 10_000)).toPrecision(6);
}

/** The venues as every test finds them: they answer, list every coin that they have, and are a little apart. */
export function createVenues(): Record<VenueName, Venue> {
  return forEachVenue(createVenue);
}

/** The venues after a change. */
export function applyChanges(venues: Record<VenueName, Venue>, changes: VenueChanges): Record<VenueName, Venue> {
  return forEachVenue((name) => {
    const markets = Object.entries({ ...venues[name].markets, ...changes[name]?.markets });
    const listed = markets.filter((entry): entry is [string, VenueMarket] => entry[1] !== null);
    return { ...venues[name], ...changes[name], markets: Object.fromEntries(listed) };
  });
}

/** Changes of coins under the venue's own symbols. Coins that it does not list are ignored. */
export function spellCoins(name: VenueName, coins: CoinChanges): Record<string, VenueMarket | null> {
  return Object.fromEntries(
    coinSymbols.flatMap((coin) => {
      const symbol = assets[coin].venueSymbols[name];
      const market = coins[coin];
      if (symbol === null || market === undefined) return [];
      return [[symbol, market && { open: market.price, volume: '1000', age_ms: 0, ...market }] as const];
    }),
  );
}

/** No questions yet. */
export function noRequests(): VenueRequests {
  return forEachVenue(() => ({ tickers: 0, klines: 0 }));
}

function forEachVenue<T>(make: (name: VenueName) => T): Record<VenueName, T> {
  return Object.fromEntries(venueNames.map((name) => [name, make(name)])) as Record<VenueName, T>;
}

/** The sides of a market's book as the venues write them, an empty one in the venue's own way. */
export function bookOf<T>(
  { price, bid, ask }: VenueMarket,
  empty: T,
): { readonly bid: string | T; readonly ask: string | T } {
  return { bid: (bid === undefined ? price : bid) ?? empty, ask: (ask === undefined ? price : ask) ?? empty };
}
