import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type Venue, type VenueMarket, bookOf, listRows } from './venue-state.ts';

const refuse = (status: number, label: string, message: string): VenueAnswer => ({ status, body: { label, message } });

const stream: PlayedStream = {
  read(text, listed) {
    const message = JSON.parse(text) as { channel: string; event?: string; payload?: string[] };
    const { channel, event, payload = [] } = message;
    const [time, time_ms] = [Math.floor(Date.now() / 1_000), Date.now()];
    if (channel === 'spot.ping')
      return { answers: [JSON.stringify({ time, time_ms, channel: 'spot.pong', event: '', error: null })] };
    const unknown = payload.find((symbol) => !listed.includes(symbol));
    const error = unknown === undefined ? null : { code: 2, message: `unknown currency pair: ${unknown}` };
    const result = error ? null : { status: 'success' };
    return {
      symbols: error ? [] : payload,
      answers: [JSON.stringify({ time, time_ms, channel, event, payload, error, result })],
    };
  },
  writeBook: ({ symbol, bid, ask, time_ms, id }) =>
    JSON.stringify({
      time: Math.floor(time_ms / 1e3),
      time_ms,
      channel: 'spot.book_ticker',
      event: 'update',
      result: {
        t: time_ms,
        u: id,
        s: symbol,
        b: bid ?? '',
        B: '0.0134',
        a: ask ?? '',
        A: '0.0353',
      },
    }),
};

/** Gate: a plain list. Errors are `{label, message}` with a status. */
export const playedGate: PlayedVenue = {
  stream,
  questions: { '/api/v4/spot/tickers': { kind: 'tickers', answer: answerTickers } },
  error: refuse(500, 'SERVER_ERROR', 'internal server error'),
  limited: refuse(429, 'TOO_MANY_REQUESTS', 'Request Rate limit Exceeded'),
};

function answerTickers(venue: Venue, query: URLSearchParams): VenueAnswer {
  const rows = listRows(venue, query.has('currency_pair') ? query.getAll('currency_pair') : undefined, writeTicker);
  if (!rows) return refuse(400, 'INVALID_CURRENCY_PAIR', 'invalid currency pair');
  return { status: 200, body: rows.map(([, row]) => row) };
}

/**
 * The change is a percentage with two decimals. `change_utc0` is the day's and far off here, so that a test fails if it
 * is read.
 */
export function writeTicker(pair: string, market: VenueMarket) {
  const { price, open, volume, fields } = market;
  const { bid, ask } = bookOf(market, '');
  return {
    currency_pair: pair,
    last: price,
    lowest_ask: ask,
    highest_bid: bid,
    change_percentage: ((Number(price) / Number(open) - 1) * 100).toFixed(2),
    change_utc0: '-50',
    change_utc8: '-50',
    base_volume: volume,
    quote_volume: 'nan',
    high_24h: price,
    low_24h: open,
    ...fields,
  };
}
