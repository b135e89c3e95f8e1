import type { Interval } from '../../../../src/markets/candles/interval.ts';
import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type VenueCandle, listNewestCandles } from './venue-candles.ts';
import { type Venue, type VenueMarket, bookOf } from './venue-state.ts';

const say = (retCode: number, retMsg: string, result: unknown = {}): VenueAnswer => ({
  status: 200,
  body: { retCode, retMsg, result, retExtInfo: {}, time: Date.now() },
});

/** A snapshot for each message: the deltas that it really sends are in the tests of the stream. */
const stream: PlayedStream = {
  read(text, listed) {
    const { op, args = [] } = JSON.parse(text) as { op: string; args?: string[] };
    if (op === 'ping') return { answers: [JSON.stringify({ success: true, ret_msg: 'pong', conn_id: '1', op })] };
    const symbols = args.map((topic) => topic.slice('orderbook.1.'.length));
    const success = symbols.every((symbol) => listed.includes(symbol));
    const ret_msg = success ? 'subscribe' : `Invalid symbol :[${args.join()}]`;
    return { symbols: success ? symbols : [], answers: [JSON.stringify({ success, ret_msg, conn_id: '1', op })] };
  },
  writeBook: ({ symbol, bid, ask, time_ms, id }) =>
    JSON.stringify({
      topic: `orderbook.1.${symbol}`,
      type: 'snapshot',
      ts: time_ms,
      cts: time_ms,
      data: {
        s: symbol,
        u: id,
        seq: id,
        b: bid === null ? [] : [[bid, '1']],
        a: ask === null ? [] : [[ask, '1']],
      },
    }),
};

/** Bybit: an envelope. Errors come with status 200 and an empty result. */
export const playedBybit: PlayedVenue = {
  stream,
  questions: {
    '/v5/market/tickers': { kind: 'tickers', answer: answerTickers },
    '/v5/market/kline': { kind: 'klines', answer: answerKlines },
  },
  error: say(10016, 'Server error.'),
  limited: say(10006, 'Too many visits!'),
};

function answerTickers(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  if (query.get('category') !== 'spot') return say(10001, 'params error: Category is invalid');
  const list = Object.entries(venue.markets).map(([symbol, market]) => writeTicker(symbol, market));
  const [first] = Object.values(venue.markets);
  const answer = say(0, 'OK', { category: 'spot', list });
  return { ...answer, body: { ...(answer.body as object), time: now_ms - (first?.age_ms ?? 0) } };
}

/** `price24hPcnt` is a fraction in spite of its name, and far off here, so that a test fails if it is read. */
export function writeTicker(symbol: string, market: VenueMarket) {
  const { price, open, volume, fields } = market;
  const { bid, ask } = bookOf(market, '');
  return {
    symbol,
    bid1Price: bid,
    bid1Size: '2',
    ask1Price: ask,
    ask1Size: '1.07',
    lastPrice: price,
    prevPrice24h: open,
    price24hPcnt: '0.5',
    highPrice24h: price,
    lowPrice24h: open,
    turnover24h: '86702682.03',
    volume24h: volume,
    ...fields,
  };
}

const intervalsByName: Readonly<Record<string, Interval>> = {
  1: '1m',
  3: '3m',
  5: '5m',
  15: '15m',
  30: '30m',
  60: '1h',
  120: '2h',
  240: '4h',
  360: '6h',
  720: '12h',
  D: '1d',
  W: '1w',
  M: '1M',
};

/**
 * Newest first. If more than `limit` lie between `start` and `end`, the newest, even with a `start`. 200 by default.
 */
function answerKlines(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  const symbol = query.get('symbol') ?? '';
  const market = venue.markets[symbol];
  if (query.get('category') !== 'spot') return say(10001, 'params error: Category is invalid');
  if (!market) return say(10001, 'Not supported symbols');
  const interval = intervalsByName[query.get('interval') ?? ''];
  if (!interval) return say(10001, 'Invalid period!');
  const [start, end, limit] = ['start', 'end', 'limit'].map((name) => query.get(name));
  if ([start, end].some((time) => time && !/^\d{1,14}$/.test(time))) return say(10001, 'params error: time invalid');
  const count = Number(limit ?? 200);
  if (!(count >= 1 && count <= 1000)) return say(10001, 'params error: limit invalid');
  const until_ms = Math.min(Number(end ?? now_ms), now_ms);
  const candles = listNewestCandles(market, interval, Number(start ?? 0), until_ms, count);
  return say(0, 'OK', { category: 'spot', symbol, list: candles.toReversed().map(writeKline) });
}

function writeKline({ start_ms, open, high, low, close, volume }: VenueCandle): string[] {
  return [String(start_ms), open, high, low, close, volume, '15.74462667'];
}
