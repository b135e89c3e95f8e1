import { type Interval, intervals, shiftInterval, startOfInterval } from '../../../src/markets/candles/interval.ts';
import type { Venue, VenueMarket } from './venue-state.ts';

/** What a venue says: a status and a JSON body. */
export interface VenueAnswer {
  readonly status: number;
  readonly body: unknown;
}

const DAY_MS = 86_400_000;

/** Binance's errors, as its documents give them. */
export const binanceError: VenueAnswer = { status: 400, body: { code: -1121, msg: 'Invalid symbol.' } };

/** `GET /api/v3/ticker/24hr?symbols=[...]&type=MINI`: a list; one unknown symbol fails the whole request. */
export function answerBinanceTickers(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  if (venue.tickers !== undefined) return { status: 200, body: venue.tickers };
  if (query.get('type') !== 'MINI') return { status: 400, body: { code: -1102, msg: 'Mandatory parameter missing.' } };
  const symbols = JSON.parse(query.get('symbols') ?? '[]') as string[];
  const rows = symbols.map((symbol) => {
    const market = venue.markets[symbol];
    return market && writeTicker(symbol, market, now_ms);
  });
  return rows.includes(undefined) ? binanceError : { status: 200, body: rows };
}

function writeTicker(symbol: string, market: VenueMarket, now_ms: number) {
  const closeTime = now_ms - market.age_ms;
  return {
    symbol,
    openPrice: pad(market.open),
    highPrice: pad(market.price),
    lowPrice: pad(market.price),
    lastPrice: pad(market.price),
    volume: pad(market.volume),
    quoteVolume: pad(String(Number(market.volume) * Number(market.price))),
    openTime: closeTime - DAY_MS,
    closeTime,
    firstId: 3983862692,
    lastId: 3988881941,
    count: 5019250,
  };
}

/** `GET /api/v3/klines`: ascending; from `startTime` on the oldest, else the newest; 500 unless told, at most 1000. */
export function answerBinanceKlines(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer {
  if (venue.klines !== undefined) return { status: 200, body: venue.klines };
  const market = venue.markets[query.get('symbol') ?? ''];
  if (!market) return binanceError;
  const interval = intervals.find((name) => name === query.get('interval'));
  if (!interval) return { status: 400, body: { code: -1120, msg: 'Invalid interval.' } };
  const limit = Math.min(Number(query.get('limit') ?? 500), 1000);
  const newest = startOfInterval(interval, Math.min(Number(query.get('endTime') ?? now_ms), now_ms));
  const startTime = query.get('startTime');
  let start = startTime === null ? shiftInterval(interval, newest, 1 - limit) : firstStart(interval, Number(startTime));
  const rows: unknown[] = [];
  for (; start <= newest && rows.length < limit; start = shiftInterval(interval, start, 1)) {
    rows.push(writeKline(market, start, shiftInterval(interval, start, 1)));
  }
  return { status: 200, body: rows };
}

function firstStart(interval: Interval, time_ms: number): number {
  const start = startOfInterval(interval, time_ms);
  return start === time_ms ? start : shiftInterval(interval, start, 1);
}

function writeKline(market: VenueMarket, start: number, end: number): unknown[] {
  const price = Number(market.price);
  const text = (factor: number) => (price * factor).toFixed(8);
  const volume = pad(market.volume);
  return [start, text(1), text(1.01), text(0.99), text(1.005), volume, end - 1, volume, 2208, volume, volume, '0'];
}

/** Binance writes eight decimals. What is no number goes through as it is. */
function pad(text: string): string {
  if (!/^\d+(\.\d{1,8})?$/.test(text)) return text;
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(8, '0')}`;
}
