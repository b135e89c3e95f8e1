import { z } from 'zod';
import { priceBeforeChange } from '../../money/amounts.ts';
import type { CandleSource, MarketCandle } from '../candles/candle-source.ts';
import { daysOfWeeks, splitWindow } from '../candles/candle-window.ts';
import { foldWeeks } from '../candles/fold-weeks.ts';
import type { Interval } from '../candles/interval.ts';
import { normaliseCandles } from '../candles/normalise-candles.ts';
import { fetchJson } from './fetch-json.ts';
import type { PriceFeed } from './price-feed.ts';
import { type Faults, TimeText, candleRow, fieldOf, readAnswer, textOf, toCandle } from './read-answer.ts';
import { type WindowedQuestion, createWindowedCandleSource } from './windowed-candle-source.ts';

/** Of weight 3 each. KuCoin allows an address a weight of 4,000 in 30 s, of which prices take 450. */
const REQUESTS_PER_MINUTE = 120;

/** The most candles that KuCoin gives at once. */
const MAX_ROWS = 1_500;

const DAYS_OF_WEEK = 7;

/** All days of the range, whatever the limit of the request for weeks. */
const DAYS = { interval: '1d', limit: Infinity, endTime_ms: undefined } as const;

/** The range that KuCoin is asked for: its first and its last start, both included. */
type RangeQuestion = Pick<WindowedQuestion, 'symbol' | 'interval' | 'first_ms' | 'last_ms'>;

const faults: Faults = new Map([
  ['400100', 'question_refused'],
  ['900001', 'question_refused'],
  ['429000', 'rate_limited'],
]);

/** The envelope of every answer; errors may come with status 200 and without `data`. */
function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.object({ code: z.literal('200000'), data });
}

const AllTickers = envelopeOf(z.object({ time: z.int().positive(), ticker: z.array(z.unknown()) }));

/** Rows of `GET /api/v1/market/candles`: start in seconds, open, close, high, low, base volume, quote volume. */
const Candles = envelopeOf(
  z.array(
    candleRow(TimeText).transform(([start_s, open, close, high, low, volume]) =>
      toCandle([start_s * 1_000, open, high, low, close, volume]),
    ),
  ),
);

const unitNames = new Map([
  ['m', 'min'],
  ['h', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['M', 'month'],
]);

function nameInterval(interval: Interval): string {
  return interval.replace(/\D/, (unit) => unitNames.get(unit) ?? unit);
}

/**
 * KuCoin's public market data: one request, which it answers with its whole spot market, and with one time for all
 * tickers, which it gathers every two seconds. `changeRate` is a fraction cut off at four places, so the open is the price
 * less `changePrice`. `vol` is in the base, `volValue` in the quote.
 */
export const kucoinPrices: PriceFeed = {
  venue: 'kucoin',
  path: '/api/v1/market/allTickers',
  isGathered: true,
  listRows: (answer) => readAnswer(AllTickers, answer, 'code', faults).data.ticker,
  symbolField: 'symbol',
  readRow: (row, answer) => ({
    price: row['last'],
    book: { bid: row['buy'], ask: row['sell'] },
    open24h: priceBeforeChange(textOf(row['last']), textOf(row['changePrice'])),
    volume24h: row['vol'],
    venueTime_ms: fieldOf(fieldOf(answer, 'data'), 'time') as number,
  }),
};

/**
 * Candles from KuCoin's public market data at `baseUrl`, which has all 13 intervals. Its weeks begin on Thursday, so
 * Bureau's are made of its days.
 */
export function createKucoinCandleSource(baseUrl: string): CandleSource {
  const ask = async (question: RangeQuestion, signal: AbortSignal) =>
    parseKucoinCandles(await fetchJson(`${baseUrl}/api/v1/market/candles?${candleQuery(question)}`, signal));
  const askWeeks = async (question: WindowedQuestion, signal: AbortSignal, now_ms: number) => {
    const days = daysOfWeeks(question, now_ms);
    const pages = splitWindow('1d', days, MAX_ROWS);
    const rows = await Promise.all(pages.map((page) => ask({ ...question, interval: '1d', ...page }, signal)));
    return foldWeeks(normaliseCandles(rows.flat(), { ...question, ...DAYS, startTime_ms: days.first_ms }, now_ms));
  };
  return createWindowedCandleSource(
    'kucoin',
    REQUESTS_PER_MINUTE,
    (question, signal, now_ms) =>
      question.interval === '1w' ? askWeeks(question, signal, now_ms) : ask(question, signal),
    ({ interval, limit }) => (interval === '1w' ? Math.ceil((limit * DAYS_OF_WEEK) / MAX_ROWS) : 1),
  );
}

/**
 * KuCoin has no limit, only a range in seconds. It does not document whether it includes the end, so the end is sent a
 * second later.
 */
function candleQuery({ symbol, interval, first_ms, last_ms }: RangeQuestion): string {
  const startAt = String(first_ms / 1_000);
  const endAt = String(last_ms / 1_000 + 1);
  return new URLSearchParams({ symbol, type: nameInterval(interval), startAt, endAt }).toString();
}

/** The candles in KuCoin's answer, as it wrote them. Throws a `SourceError` when any row has another shape. */
export function parseKucoinCandles(answer: unknown): MarketCandle[] {
  return readAnswer(Candles, answer, 'code', faults).data;
}
