import { intervals } from '../../../../src/markets/candles/interval.ts';
import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type VenueCandle, listCandles, listNewestCandles } from './venue-candles.ts';
import { type Venue, type VenueMarket, bookOf, listRows } from './venue-state.ts';

const DAY_MS = 86_400_000;

const refuse = (code: number, msg: string): VenueAnswer => ({ status: 400, body: { code, msg } });

/** Markets are named in the address. Books have no time; `miniTicker` has one, each second. */
const stream: PlayedStream = {
  named(query) {
    const names = query.get('streams')?.split('/') ?? [];
    return names.flatMap((name) => /^([a-z0-9]+)@bookTicker$/.exec(name)?.[1]?.toUpperCase() ?? []);
  },
  read: (text) => ({ answers: [JSON.stringify({ result: [], id: (JSON.parse(text) as { id: number }).id })] }),
  writeBook: ({ symbol, bid, ask, id }) =>
    JSON.stringify({
      stream: `${symbol.toLowerCase()}@bookTicker`,
      data: {
        u: id,
        s: symbol,
        b: pad(bid ?? '0.00000000'),
        B: '31.21000000',
        a: pad(ask ?? '0.00000000'),
        A: '40.66000000',
      },
    }),
  writeTime: (symbol, time_ms) =>
    JSON.stringify({
      stream: `${symbol.toLowerCase()}@miniTicker`,
      data: { e: '24hrMiniTicker', E: time_ms, s: symbol, c: '1', o: '1', h: '1', l: '1', v: '1', q: '1' },
    }),
};

/** Binance: numbers of eight decimals, errors `{code, msg}` with a status of 4xx or 5xx. */
export const playedBinance: PlayedVenue = {
  stream,
  questions: {
    '/api/v3/ticker/24hr': { kind: 'tickers', answer: answerTickers },
    '/api/v3/klines': { kind: 'klines', answer: answerKlines },
  },
  error: {
    status: 500,
    body: { code: -1001, msg: 'Internal error; unable to process your request. Please try again.' },
  },
  limited: {
    status: 429,
    body: { code: -1003, msg: 'Too many requests; current limit is 6000 request weight per 1 MINUTE.' },
  },
};

/** With `symbols=[...]` the named markets, where an unknown one fails the whole request; without it all markets. */
function answerTickers(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  if (query.get('type') !== 'FULL') return refuse(-1102, 'Mandatory parameter missing.');
  const names = readSymbols(query.get('symbols'));
  const rows = listRows(venue, names, (symbol, market) => writeTicker(symbol, market, now_ms));
  return rows ? { status: 200, body: rows.map(([, row]) => row) } : refuse(-1121, 'Invalid symbol.');
}

function readSymbols(list: string | null): string[] | undefined {
  if (list === null) return undefined;
  return /^\["[A-Z0-9]+"(,"[A-Z0-9]+")*\]$/.test(list) ? (JSON.parse(list) as string[]) : ['not a list'];
}

export function writeTicker(symbol: string, market: VenueMarket, now_ms: number) {
  const closeTime = now_ms - market.age_ms;
  const { bid, ask } = bookOf(market, '0.00000000');
  return {
    symbol,
    openPrice: pad(market.open),
    highPrice: pad(market.price),
    lowPrice: pad(market.price),
    lastPrice: pad(market.price),
    bidPrice: pad(bid),
    bidQty: '0.09810000',
    askPrice: pad(ask),
    askQty: '8.52891000',
    volume: pad(market.volume),
    quoteVolume: pad(String(Number(market.volume) * Number(market.price))),
    openTime: closeTime - DAY_MS,
    closeTime,
    firstId: 3983862692,
    lastId: 3988881941,
    count: 5019250,
    ...market.fields,
  };
}

/** Ascending. With `startTime` the oldest from there on, otherwise the newest. 500 by default, at most 1000. */
function answerKlines(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  const market = venue.markets[query.get('symbol') ?? ''];
  if (!market) return refuse(-1121, 'Invalid symbol.');
  const interval = intervals.find((name) => name === query.get('interval'));
  if (!interval) return refuse(-1120, 'Invalid interval.');
  const limit = Math.min(Number(query.get('limit') ?? 500), 1000);
  const until_ms = Math.min(Number(query.get('endTime') ?? now_ms), now_ms);
  const startTime = query.get('startTime');
  const candles =
    startTime === null
      ? listNewestCandles(market, interval, -Infinity, until_ms, limit)
      : listCandles(market, interval, Number(startTime), until_ms, limit);
  return { status: 200, body: candles.map(writeKline) };
}

function writeKline({ start_ms, end_ms, open, high, low, close, volume }: VenueCandle): unknown[] {
  const base = pad(volume);
  return [start_ms, open, high, low, close, base, end_ms - 1, base, 2208, base, base, '0'];
}

/** Binance writes eight decimals. A text that is not a number is sent unchanged. */
function pad(text: string): string {
  if (!/^\d+(\.\d{1,8})?$/.test(text)) return text;
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(8, '0')}`;
}
