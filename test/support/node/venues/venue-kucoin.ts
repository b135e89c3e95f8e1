import type { Interval } from '../../../../src/markets/candles/interval.ts';
import type { PlayedStream, PlayedVenue, VenueAnswer } from './played-venue.ts';
import { type VenueCandle, listNewestCandles } from './venue-candles.ts';
import { type Venue, type VenueMarket, bookOf } from './venue-state.ts';

const MAX_CANDLES = 1500;

const refuse = (msg: string, code = '400100'): VenueAnswer => ({ status: 200, body: { code, msg } });

const WEEK_MS = 604_800_000;

const TOPIC = '/spotMarket/level1:';

/** The market is named in the topic alone. A token for the address is given by `tellStream`. */
const stream: PlayedStream = {
  welcome: JSON.stringify({ id: 'bureau', type: 'welcome' }),
  read(text, listed) {
    const { id, type, topic = '' } = JSON.parse(text) as { id: string; type: string; topic?: string };
    if (type === 'ping') return { answers: [JSON.stringify({ id, type: 'pong', timestamp: Date.now() * 1_000 })] };
    const symbols = topic.slice(TOPIC.length).split(',');
    return {
      symbols: symbols.filter((symbol) => listed.includes(symbol)),
      answers: [JSON.stringify({ id, type: 'ack' })],
    };
  },
  writeBook: ({ symbol, bid, ask, time_ms }) =>
    JSON.stringify({
      topic: `${TOPIC}${symbol}`,
      type: 'message',
      subject: 'level1',
      data: {
        asks: [ask ?? '', '0.000945'],
        bids: [bid ?? '', '0.51469123'],
        timestamp: time_ms,
      },
    }),
};

/** The answer of `bullet-public`: where its stream is, and a token for 24 hours. */
export function tellStream(endpoint: string): VenueAnswer {
  const instanceServers = [
    { endpoint, encrypt: false, protocol: 'websocket', pingInterval: 18_000, pingTimeout: 10_000 },
  ];
  return { status: 200, body: { code: '200000', data: { token: 'played', instanceServers } } };
}

/** KuCoin: an envelope whose `code` is text, errors without data. */
export const playedKucoin: PlayedVenue = {
  stream,
  questions: {
    '/api/v1/market/allTickers': { kind: 'tickers', answer: answerTickers },
    '/api/v1/market/candles': { kind: 'klines', answer: answerCandles },
  },
  error: { status: 500, body: { code: '500000', msg: 'Internal Server Error' } },
  limited: { status: 200, body: { code: '429000', msg: 'Too Many Requests' } },
};

/** One time for all tickers: the oldest that a test has set. */
function answerTickers(venue: Venue, _query: URLSearchParams, now_ms: number): VenueAnswer {
  const ages = Object.values(venue.markets).map(({ age_ms }) => age_ms);
  const ticker = Object.entries(venue.markets).map(([symbol, market]) => writeTicker(symbol, market));
  return { status: 200, body: { code: '200000', data: { time: now_ms - Math.max(...ages), ticker } } };
}

/** `changeRate` is a fraction, cut off at four decimals. */
export function writeTicker(symbol: string, market: VenueMarket) {
  const { price, open, volume, fields } = market;
  const { bid, ask } = bookOf(market, null);
  const change = Number(price) - Number(open);
  return {
    symbol,
    symbolName: symbol,
    buy: bid,
    bestBidSize: '0.000025',
    sell: ask,
    bestAskSize: '1.24949204',
    changeRate: String(Math.trunc((change / Number(open)) * 10_000) / 10_000),
    changePrice: String(Number(change.toFixed(8))),
    high: price,
    low: open,
    vol: volume,
    volValue: '124068431.06726933',
    last: price,
    averagePrice: price,
    takerFeeRate: '0.001',
    makerFeeRate: '0.001',
    takerCoefficient: '1',
    makerCoefficient: '1',
    ...fields,
  };
}

const intervalsByType: Readonly<Record<string, Interval>> = {
  '1min': '1m',
  '3min': '3m',
  '5min': '5m',
  '15min': '15m',
  '30min': '30m',
  '1hour': '1h',
  '2hour': '2h',
  '4hour': '4h',
  '6hour': '6h',
  '12hour': '12h',
  '1day': '1d',
  '1week': '1w',
  '1month': '1M',
};

/**
 * Newest first, from `startAt` to before `endAt`, both in seconds. Of more than 1500 the newest. Nothing without both
 * times.
 */
function answerCandles(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  const market = venue.markets[query.get('symbol') ?? ''];
  if (!market) return refuse('Unsupported trading pair.', '900001');
  const interval = intervalsByType[query.get('type') ?? ''];
  if (!interval) return refuse('Incorrect candlestick type.');
  const startAt = query.get('startAt') ?? '0';
  const endAt = query.get('endAt') ?? '0';
  if (!/^\d{1,10}$/.test(startAt) || !/^\d{1,10}$/.test(endAt)) return refuse('Incorrect time.');
  const until_ms = Math.min(Number(endAt) * 1_000 - 1, now_ms);
  const from_ms = Number(startAt) * 1_000;
  const candles =
    interval === '1w'
      ? listWeeks(market, from_ms, until_ms)
      : listNewestCandles(market, interval, from_ms, until_ms, MAX_CANDLES);
  return { status: 200, body: { code: '200000', data: candles.toReversed().map(writeCandle) } };
}

/** KuCoin's weeks are counted from the epoch, which was a Thursday. */
function listWeeks(market: VenueMarket, from_ms: number, until_ms: number): VenueCandle[] {
  const first = Math.ceil(from_ms / WEEK_MS);
  const count = Math.min(Math.floor(until_ms / WEEK_MS) - first + 1, MAX_CANDLES);
  const days = listNewestCandles(market, '1d', -Infinity, until_ms, 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * WEEK_MS).flatMap((start_ms) =>
    days.map((day) => ({ ...day, start_ms, end_ms: start_ms + WEEK_MS })),
  );
}

function writeCandle({ start_ms, open, high, low, close, volume }: VenueCandle): string[] {
  return [String(start_ms / 1_000), open, close, high, low, volume, '302889.301529914'];
}
