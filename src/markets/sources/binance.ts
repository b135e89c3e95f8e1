import { z } from 'zod';
import { parsePrice } from '../../money/amounts.ts';
import type { CandleQuestion, CandleSource } from '../candles/candle-source.ts';
import { type RawCandle, normaliseCandles } from '../candles/normalise-candles.ts';
import { fetchJson } from './fetch-json.ts';
import { createListedPriceSource } from './listed-price-source.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import {
  type Faults,
  NumericText,
  OptionalNumericText,
  candleRow,
  readAnswer,
  symbolAt,
  toCandle,
} from './read-answer.ts';
import { type RawTicker, readTickers } from './read-tickers.ts';

/** A row of `GET /api/v3/ticker/24hr`; `openPrice` is that of 24 hours ago, `volume` is in the base. */
const TickerRow = z
  .object({
    lastPrice: NumericText,
    bidPrice: OptionalNumericText,
    askPrice: OptionalNumericText,
    openPrice: OptionalNumericText,
    volume: OptionalNumericText,
    closeTime: z.int().positive(),
  })
  .transform((row): RawTicker => ({
    price: row.lastPrice,
    book: { bid: row.bidPrice, ask: row.askPrice },
    open24h: parsePrice(row.openPrice),
    volume24h: row.volume,
    venueTime_ms: row.closeTime,
  }));

/** Of weight 2 each. Binance allows an address a weight of 6,000 a minute, of which prices take 120. */
const REQUESTS_PER_MINUTE = 120;

/** Errors come with a status of 4xx or 5xx. If one came with 200, it would be an object instead of a list. */
const faults: Faults = new Map([
  [-1003, 'rate_limited'],
  [-1100, 'question_refused'],
  [-1120, 'question_refused'],
  [-1121, 'question_refused'],
]);

/** Prices from Binance's public market data at `baseUrl`: one request of weight 2 for all coins. */
export function createBinancePriceSource(baseUrl: string): PriceSource {
  const url = (symbols: readonly string[] | null) => {
    const list = symbols === null ? '' : `&symbols=${encodeURIComponent(JSON.stringify(symbols))}`;
    return `${baseUrl}/api/v3/ticker/24hr?type=FULL${list}`;
  };
  return createListedPriceSource('binance', url, parseBinanceTickers);
}

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

/** The tickers in Binance's answer. Throws a `SourceError` when it is not a list. */
export function parseBinanceTickers(answer: unknown): SourceTicker[] {
  return readTickers('binance', readAnswer(z.array(z.unknown()), answer, 'code', faults), 'symbol', TickerRow);
}

/** The candles of `GET /api/v3/klines`, as Binance wrote them. Throws a `SourceError` when any row has another shape. */
export function parseBinanceKlines(answer: unknown): RawCandle[] {
  return readAnswer(z.array(candleRow(z.int()).transform(toCandle)), answer, 'code', faults);
}
