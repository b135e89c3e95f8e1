import { z } from 'zod';
import type { CandleSource, MarketCandle } from '../candles/candle-source.ts';
import { type Interval, shiftInterval } from '../candles/interval.ts';
import { fetchJson } from './fetch-json.ts';
import { parsePrice } from '../../money/amounts.ts';
import type { PriceFeed } from './price-feed.ts';
import { type Faults, TimeText, candleRow, fieldOf, readAnswer, textOf, toCandle } from './read-answer.ts';
import { type WindowedQuestion, createWindowedCandleSource } from './windowed-candle-source.ts';

/** The answer of `GET /v5/market/kline`, newest first. Errors come with status 200 and an empty result. */
const Klines = z.object({
  retCode: z.literal(0),
  result: z.object({ category: z.literal('spot'), list: z.array(candleRow(TimeText).transform(toCandle)) }),
});

/** The answer of `GET /v5/market/tickers`: the whole spot market, and one time for all. */
const Tickers = z.object({
  retCode: z.literal(0),
  result: z.object({ category: z.literal('spot'), list: z.array(z.unknown()) }),
  time: z.int().positive(),
});

/** Bybit allows an address 600 in five seconds. */
const REQUESTS_PER_MINUTE = 120;

const faults: Faults = new Map([
  [10001, 'question_refused'],
  [10006, 'rate_limited'],
  [10018, 'rate_limited'],
  [10009, 'geo_blocked'],
]);

/** Bybit's public market data: one request, which it answers with its whole spot market. `volume24h` is in the base. */
export const bybitPrices: PriceFeed = {
  venue: 'bybit',
  path: '/v5/market/tickers?category=spot',
  listRows: (answer) => readAnswer(Tickers, answer, 'retCode', faults).result.list,
  symbolField: 'symbol',
  readRow: (row, answer) => ({
    price: row['lastPrice'],
    book: { bid: row['bid1Price'], ask: row['ask1Price'] },
    open24h: parsePrice(textOf(row['prevPrice24h'])),
    volume24h: row['volume24h'],
    venueTime_ms: fieldOf(answer, 'time') as number,
  }),
};

/** `D`, `W` and `M`, and for shorter intervals their minutes. */
function nameInterval(interval: Interval): string {
  const unit = interval.slice(-1);
  return 'dwM'.includes(unit) ? unit.toUpperCase() : String(shiftInterval(interval, 0, 1) / 60_000);
}

/** Candles from Bybit's public market data at `baseUrl`, which has all 13 intervals. */
export function createBybitCandleSource(baseUrl: string): CandleSource {
  return createWindowedCandleSource('bybit', REQUESTS_PER_MINUTE, async (question, signal) =>
    parseBybitKlines(await fetchJson(`${baseUrl}/v5/market/kline?${klineQuery(question)}`, signal)),
  );
}

/**
 * Bybit returns the newest `limit` candles up to the end, so only the end is sent. Bybit does not document whether it
 * includes the end, so the end is sent a millisecond later.
 */
function klineQuery({ symbol, interval, limit, last_ms }: WindowedQuestion): string {
  const query = { category: 'spot', symbol, interval: nameInterval(interval), limit: String(limit) };
  return new URLSearchParams({ ...query, end: String(last_ms + 1) }).toString();
}

/** The candles in Bybit's answer, as it wrote them. Throws a `SourceError` when any row has another shape. */
export function parseBybitKlines(answer: unknown): MarketCandle[] {
  return readAnswer(Klines, answer, 'retCode', faults).result.list;
}
