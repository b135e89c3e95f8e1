import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type Venue, type VenueMarket, bookOf, listRows } from './venue-state.ts';

/** Kraken's errors come with status 200 and without a result. */
const refuse = (error: string): VenueAnswer => ({ status: 200, body: { error: [error] } });

/** The stream's spelling of a market. */
function spell(symbol: string): string {
  return symbol.replace(/^XBT/, 'BTC').replace(/^XDG/, 'DOGE').replace(/USDT$/, '/USDT');
}

/** Numbers are JSON's. */
const stream: PlayedStream = {
  read(text, listed) {
    const { method, req_id, params } = JSON.parse(text) as {
      readonly method: string;
      readonly req_id?: number;
      readonly params?: { readonly symbol: string[] };
    };
    const times = { time_in: new Date().toISOString(), time_out: new Date().toISOString() };
    if (method === 'ping') return { answers: [JSON.stringify({ method: 'pong', req_id, ...times })] };
    const wanted = params?.symbol ?? [];
    const spelled = listed.map(spell);
    return {
      symbols: listed.filter((symbol) => wanted.includes(spell(symbol))),
      answers: wanted.map((symbol) =>
        JSON.stringify(
          spelled.includes(symbol)
            ? { method, result: { channel: 'ticker', symbol, snapshot: true }, success: true, ...times }
            : { method, error: `Currency pair not supported ${symbol}`, success: false, symbol, ...times },
        ),
      ),
    };
  },
  writeBook: ({ symbol, bid, ask, time_ms }) =>
    JSON.stringify({
      channel: 'ticker',
      type: 'update',
      data: [
        {
          symbol: spell(symbol),
          bid: bid && Number(bid),
          bid_qty: 1.2,
          ask: ask && Number(ask),
          ask_qty: 3.4,
          timestamp: new Date(time_ms).toISOString(),
        },
      ],
    }),
};

/** Kraken: an object with a member for each pair. */
export const playedKraken: PlayedVenue = {
  stream,
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
