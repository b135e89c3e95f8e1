import { type Coin, assets, coinSymbols } from '../../../../src/money/assets.ts';
import { type Venue as VenueName, spellMarkets, venues as venueNames } from '../../../../src/money/venue-symbols.ts';

export { type VenueName, venueNames };

/** How a venue answers: correctly, or with one of the faults of venues. */
export type VenueMode =
  | 'ok'
  | 'error'
  /** The venue's own message for too many requests, with its status. */
  | 'limited'
  /** A web page with status 200, as a proxy in front of the venue may answer. */
  | 'html'
  | 'truncated'
  | 'huge'
  /** No answer until the next reset, which breaks the connection. */
  | 'hang'
  | 'reset';

/** One market of a venue, under the venue's own symbol. Numbers are text, so that a test can send invalid ones. */
export interface VenueMarket {
  readonly price: string;
  readonly open: string;
  readonly volume: string;
  /** The best bid and ask. Default: the price. `null` is a side without orders. */
  readonly bid?: string | null;
  readonly ask?: string | null;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** How much older than the clock the venue's own time of the price is. Negative: ahead of the clock. */
  readonly age_ms: number;
}

/**
 * What a test changes of coins' markets. A market needs a price; its open is the same price unless given. `null` takes
 * the coin off the venue's list.
 */
export type CoinChanges = Readonly<Partial<Record<Coin, (Pick<VenueMarket, 'price'> & Partial<VenueMarket>) | null>>>;

export interface Venue {
  readonly mode: VenueMode;
  /** With mode `error`, `limited` or `html`: another status for it, such as 403, 429 or 451. */
  readonly status: number | null;
  /** With mode `error` or `limited`: the Retry-After header. */
  readonly retryAfter: string | null;
  readonly delay_ms: number;
  /** How its stream behaves: it speaks, is open and silent, or breaks its sockets and opens no others (with `status`). */
  readonly stream: 'ok' | 'silent' | 'refused';
  /** How long a message of its stream takes, each way. */
  readonly way_ms: number;
  /** How far the clock of its stream runs ahead. */
  readonly skew_ms: number;
  /** The markets whose books it does not say any more. */
  readonly frozen: readonly string[];
  /** What it says word for word in place of each book. */
  readonly said: string | undefined;
  readonly markets: Readonly<Record<string, VenueMarket>>;
  /** Answers sent word for word, instead of those made from the markets. */
  readonly tickers: unknown;
  readonly klines: unknown;
}

/** A change by a test: only the named markets change, and `null` removes a market from the venue. */
export type VenueChanges = Partial<
  Record<VenueName, Partial<Omit<Venue, 'markets'>> & { readonly markets?: Record<string, VenueMarket | null> }>
>;

/** How often each kind of request came since the last reset. */
export type VenueRequests = Record<VenueName, { tickers: number; klines: number }>;

/** The prices of the coins at Binance; the others are close to them. */
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

/** Markets that every venue has but Bureau does not want. If one is read as a coin's, the coin shows a price of 7. */
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
    stream: 'ok',
    way_ms: 0,
    skew_ms: 0,
    frozen: [],
    said: undefined,
    tickers: undefined,
    klines: undefined,
    markets: Object.fromEntries(markets),
  };
}

function shiftPrice(price: string, hundredths: number): string {
  return hundredths === 0 ? price : (Number(price) * (1 + hundredths / 10_000)).toPrecision(6);
}

/** The venues at the start of every test: they answer, list every coin that they have, and differ a little. */
export function createVenues(): Record<VenueName, Venue> {
  return forEachVenue(createVenue);
}

export function applyChanges(venues: Record<VenueName, Venue>, changes: VenueChanges): Record<VenueName, Venue> {
  return forEachVenue((name) => {
    const markets = Object.entries({ ...venues[name].markets, ...changes[name]?.markets });
    const listed = markets.filter((entry): entry is [string, VenueMarket] => entry[1] !== null);
    return { ...venues[name], ...changes[name], markets: Object.fromEntries(listed) };
  });
}

/** Changes of coins, under the venue's own symbols. Coins that it does not list are ignored. */
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

export function noRequests(): VenueRequests {
  return forEachVenue(() => ({ tickers: 0, klines: 0 }));
}

function forEachVenue<T>(make: (name: VenueName) => T): Record<VenueName, T> {
  return Object.fromEntries(venueNames.map((name) => [name, make(name)])) as Record<VenueName, T>;
}

/** The rows of the named markets, or of all; `undefined` where one of the names is unknown. */
export function listRows<Row>(
  { markets }: Venue,
  names: readonly string[] | undefined,
  write: (symbol: string, market: VenueMarket) => Row,
): [symbol: string, row: Row][] | undefined {
  const wanted = names ?? Object.keys(markets);
  const rows = wanted.flatMap((symbol): [string, Row][] => {
    const market = markets[symbol];
    return market ? [[symbol, write(symbol, market)]] : [];
  });
  return rows.length === wanted.length ? rows : undefined;
}

/** The sides of a market's book as the venues write them; an empty side in the venue's own way. */
export function bookOf<T>(
  { price, bid, ask }: VenueMarket,
  empty: T,
): { readonly bid: string | T; readonly ask: string | T } {
  return { bid: (bid === undefined ? price : bid) ?? empty, ask: (ask === undefined ? price : ask) ?? empty };
}
