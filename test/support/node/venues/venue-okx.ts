import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type Venue, type VenueMarket, bookOf } from './venue-state.ts';

const refuse = (code: string, msg: string): VenueAnswer => ({ status: 200, body: { code, msg, data: [] } });

const stream: PlayedStream = {
  read(text, listed) {
    if (text === 'ping') return { answers: ['pong'] };
    const { args } = JSON.parse(text) as { args: { channel: string; instId: string }[] };
    const symbols = args.map(({ instId }) => instId);
    return {
      symbols: symbols.filter((symbol) => listed.includes(symbol)),
      answers: args.map((arg) =>
        JSON.stringify(
          listed.includes(arg.instId)
            ? { event: 'subscribe', arg, connId: 'a4d3ae55' }
            : {
                event: 'error',
                code: '60018',
                connId: 'a4d3ae55',
                msg: `Wrong URL or channel:${arg.channel},instId:${arg.instId} doesn't exist.`,
              },
        ),
      ),
    };
  },
  writeBook: ({ symbol, bid, ask, time_ms, id }) =>
    JSON.stringify({
      arg: { channel: 'bbo-tbt', instId: symbol },
      data: [
        {
          asks: ask === null ? [] : [[ask, '1.5', '0', '2']],
          bids: bid === null ? [] : [[bid, '2.5', '0', '3']],
          ts: String(time_ms),
          seqId: id,
        },
      ],
    }),
};

/** OKX: an envelope whose `code` is text, errors mostly with status 200. */
export const playedOkx: PlayedVenue = {
  stream,
  questions: { '/api/v5/market/tickers': { kind: 'tickers', answer: answerTickers } },
  error: { status: 503, body: { code: '50001', msg: 'Service temporarily unavailable. Try again later.', data: [] } },
  limited: { status: 200, body: { code: '50011', msg: 'Too Many Requests', data: [] } },
};

function answerTickers(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  if (!query.has('instType')) return refuse('50014', 'Parameter instType can not be empty.');
  if (query.get('instType') !== 'SPOT') return refuse('51000', 'Parameter instType error');
  const data = Object.entries(venue.markets).map(([instId, market]) => writeTicker(instId, market, now_ms));
  return { status: 200, body: { code: '0', msg: '', data } };
}

/**
 * `volCcy24h` is in the quote, and `sodUtc0` is the open of the day. Both are far off here, so that a test fails if
 * they are read.
 */
export function writeTicker(instId: string, market: VenueMarket, now_ms: number) {
  const { price, open, volume, age_ms, fields } = market;
  const { bid, ask } = bookOf(market, '');
  return {
    instType: 'SPOT',
    instId,
    last: price,
    lastSz: '0.31226082',
    askPx: ask,
    askSz: '5.93754444',
    bidPx: bid,
    bidSz: '0.16038',
    open24h: open,
    high24h: price,
    low24h: open,
    volCcy24h: '86702682.03645192',
    vol24h: volume,
    ts: String(now_ms - age_ms),
    sodUtc0: '0.00001',
    sodUtc8: '0.00001',
    ...fields,
  };
}
