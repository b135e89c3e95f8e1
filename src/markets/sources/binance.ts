import { z } from 'zod';
import { parsePrice } from '../../money/amounts.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from '../candles/candle-source.ts';
import { normaliseCandles } from '../candles/normalise-candles.ts';
import { fetchJson } from './fetch-json.ts';
import type { PriceFeed } from './price-feed.ts';
import { type Faults, candleRow, readAnswer, symbolAt, textOf, toCandle } from './read-answer.ts';

/** Of weight 2 each. Binance allows an address a weight of 6,000 a minute, of which prices take 120. */
const REQUESTS_PER_MINUTE = 120;

/** Errors come with a status of 4xx or 5xx. If one came with 200, it would be an object instead of a list. */
const faults: Faults = new Map([
  [-1003, 'rate_limited'],
  [-1100, 'question_refused'],
  [-1120, 'question_refused'],
  [-1121, 'question_refused'],
]);

/**
 * Binance's public market data: one request of weight 2 for all coins. `openPrice` is that of 24 hours ago, `volume` is
 * in the base.
 */
export const binancePrices: PriceFeed = {
  venue: 'binance',
  path: '/api/v3/ticker/24hr?type=FULL',
  listOf: (symbols) => `&symbols=${encodeURIComponent(JSON.stringify(symbols))}`,
  listRows: (answer) => readAnswer(z.array(z.unknown()), answer, 'code', faults),
  symbolField: 'symbol',
  readRow: (row) => ({
    price: row['lastPrice'],
    book: { bid: row['bidPrice'], ask: row['askPrice'] },
    open24h: parsePrice(textOf(row['openPrice'])),
    volume24h: row['volume'],
    venueTime_ms: z.int().positive().safeParse(row['closeTime']).data,
  }),
};

/** Candles from Binance's public market data at `baseUrl`, which knows all 13 intervals by the same names. */
export function createBinanceCandleSource(baseUrl: string): CandleSource {
  return {
    name: 'binance',
    requestsPerMinute: REQUESTS_PER_MINUTE,
    countRequests: () => 1,
    fetchCandles: async (question, signal, now_ms) => {
      const query = klineQuery(symbolAt('binance', question.coin), question);
      const answer = await fetchJson(`${baseUrl}/api/v3/klines?${query}`, signal);
      return normaliseCandles(parseBinanceKlines(answer), question, now_ms);
    },
  };
}

function klineQuery(symbol: string, { interval, limit, startTime_ms, endTime_ms }: CandleQuestion): string {
  const query = new URLSearchParams({ symbol, interval, limit: String(limit) });
  // Binance refuses times before 1970.
  if (startTime_ms !== undefined) query.set('startTime', String(Math.max(0, startTime_ms)));
  if (endTime_ms !== undefined) query.set('endTime', String(Math.max(0, endTime_ms)));
  return query.toString();
}

/** The candles of `GET /api/v3/klines`, as Binance wrote them. Throws a `SourceError` when any row has another shape. */
export function parseBinanceKlines(answer: unknown): MarketCandle[] {
  return readAnswer(z.array(candleRow(z.int()).transform(toCandle)), answer, 'code', faults);
}
