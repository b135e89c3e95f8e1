/** How a venue answers: well, or in one of the ways that venues fail. */
export type VenueMode =
  | 'ok'
  /** The venue's own error shape, with the status that it comes with. */
  | 'error'
  /** A web page with status 200, as a wall in front of the venue gives. */
  | 'html'
  /** Valid so far, then over. */
  | 'truncated'
  /** Well-formed JSON of 5 MB. */
  | 'huge'
  /** No answer ever. */
  | 'hang'
  /** The connection breaks. */
  | 'reset';

/** One market of a venue, under the venue's own symbol. Numbers are text, so that a test can send what is none. */
export interface VenueMarket {
  readonly price: string;
  readonly open: string;
  readonly volume: string;
  /** How far the venue's own time of the price lies behind the clock; negative is ahead. */
  readonly age_ms: number;
}

/** Everything that a test may set of a venue. */
export interface Venue {
  readonly mode: VenueMode;
  /** With mode `error`: another status for it, such as 429 or 451. */
  readonly status: number | null;
  readonly delay_ms: number;
  readonly markets: Readonly<Record<string, VenueMarket>>;
  /** Answers given word for word instead of those made from the markets. */
  readonly tickers: unknown;
  readonly klines: unknown;
}

export type VenueName = 'binance' | 'kraken';

/** How often each kind of question came since the last reset. */
export type VenueRequests = Record<VenueName, { tickers: number; klines: number }>;

function listMarkets(prices: Record<string, string>): Record<string, VenueMarket> {
  return Object.fromEntries(
    Object.entries(prices).map(([symbol, price]) => [symbol, { price, open: price, volume: '1000', age_ms: 0 }]),
  );
}

/** The venues as every test finds them: they answer, list these markets, and are a hundredth of a percent apart. */
export function createVenues(): Record<VenueName, Venue> {
  const calm = { mode: 'ok', status: null, delay_ms: 0, tickers: undefined, klines: undefined } as const;
  return {
    binance: {
      ...calm,
      markets: listMarkets({
        USDCUSDT: '1.0001',
        BTCUSDT: '65000.12',
        ETHUSDT: '2500.5',
        AVAXUSDT: '15.43',
        POLUSDT: '0.2112',
        BNBUSDT: '601.7',
        LTCUSDT: '71.28',
        DOGEUSDT: '0.10427',
      }),
    },
    kraken: {
      ...calm,
      markets: listMarkets({
        USDCUSDT: '1.0002',
        XBTUSDT: '65006.6',
        ETHUSDT: '2500.75',
        AVAXUSDT: '15.432',
        POLUSDT: '0.21122',
        LTCUSDT: '71.287',
        XDGUSDT: '0.10428',
      }),
    },
  };
}
