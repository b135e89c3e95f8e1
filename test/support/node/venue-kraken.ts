import type { VenueAnswer } from './venue-binance.ts';
import type { Venue, VenueMarket } from './venue-state.ts';

/** Kraken's errors come with status 200. */
export const krakenError: VenueAnswer = {
  status: 200,
  body: { error: ['EQuery:Unknown asset pair'], result: {} },
};

/** `GET /0/public/Ticker?pair=A,B`: a map by pair; one unknown pair fails the whole request. */
export function answerKrakenTickers(venue: Venue, query: URLSearchParams): VenueAnswer {
  if (venue.tickers !== undefined) return { status: 200, body: venue.tickers };
  const pairs = (query.get('pair') ?? '').split(',');
  const rows = pairs.map((pair) => {
    const market = venue.markets[pair];
    return market && ([pair, writePair(market)] as const);
  });
  const known = rows.filter((row) => row !== undefined);
  if (known.length < rows.length) return krakenError;
  return { status: 200, body: { error: [], result: Object.fromEntries(known) } };
}

/** `o` is the open of the UTC day, here far off, so that a test notices who takes it for that of 24 hours ago. */
function writePair({ price, volume }: VenueMarket) {
  return {
    a: [price, '1', '1.000'],
    b: [price, '1', '1.000'],
    c: [price, '0.00160710'],
    v: ['165.16072288', volume],
    p: [price, price],
    t: [6405, 21103],
    l: [price, price],
    h: [price, price],
    o: '0.00001',
  };
}
