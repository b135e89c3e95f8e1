import type { PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type Venue, type VenueMarket, bookOf, listRows } from './venue-state.ts';

/** Kraken's errors come with status 200 and without a result. */
const refuse = (error: string): VenueAnswer => ({ status: 200, body: { error: [error] } });

/** Kraken: an object with a member for each pair. */
export const playedKraken: PlayedVenue = {
  questions: { '/0/public/Ticker': { kind: 'tickers', answer: answerTickers } },
  error: refuse('EService:Unavailable'),
  limited: refuse('EGeneral:Too many requests'),
};

/** With `pair=A,B` the named pairs, where an unknown one fails the whole request; without it all pairs. */
function answerTickers(venue: Venue, query: URLSearchParams): VenueAnswer {
  const rows = listRows(venue, query.get('pair')?.split(','), (_pair, market) => writePair(market));
  if (!rows) return refuse('EQuery:Unknown asset pair');
  return { status: 200, body: { error: [], result: Object.fromEntries(rows) } };
}

/**
 * `o` is the open of the UTC day. Here it is far off, so that a test fails if it is read as the open of 24 hours ago.
 */
export function writePair(market: VenueMarket) {
  const { price, volume, fields } = market;
  const { bid, ask } = bookOf(market, '0.00000');
  return {
    a: [ask, '1', '1.000'],
    b: [bid, '1', '1.000'],
    c: [price, '0.00160710'],
    v: ['165.16072288', volume],
    p: [price, price],
    t: [6405, 21103],
    l: [price, price],
    h: [price, price],
    o: '0.00001',
    ...fields,
  };
}
