import { z } from 'zod';
import type { CandleSource } from '../candles/candle-source.ts';
import type { Interval } from '../candles/interval.ts';
import type { RawCandle } from '../candles/normalise-candles.ts';
import { fetchJson } from './fetch-json.ts';
import { NumericText, TimeText } from './numeric-text.ts';
import { SourceError, type SourceFault } from './source-error.ts';
import { type WindowedQuestion, createWindowedCandleSource } from './windowed-candle-source.ts';

/** The envelope of every answer. Errors come with status 200 and an empty result. */
const Envelope = z.object({ retCode: z.int(), result: z.unknown() });

/** Bybit allows an address 600 in five seconds. */
const REQUESTS_PER_MINUTE = 120;

const faults: ReadonlyMap<number, SourceFault> = new Map([
  [10001, 'question_refused'],
  [10006, 'rate_limited'],
  [10018, 'rate_limited'],
  [10009, 'geo_blocked'],
]);

/** `GET /v5/market/kline`, newest first: start in milliseconds, open, high, low, close, base volume, turnover. */
const Klines = z.object({
  category: z.literal('spot'),
  list: z.array(z.tuple([TimeText, NumericText, NumericText, NumericText, NumericText, NumericText], z.unknown())),
});

const intervalNames: Readonly<Record<Interval, string>> = {
  '1m': '1',
  '3m': '3',
  '5m': '5',
  '15m': '15',
  '30m': '30',
  '1h': '60',
  '2h': '120',
  '4h': '240',
  '6h': '360',
  '12h': '720',
  '1d': 'D',
  '1w': 'W',
  '1M': 'M',
};

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
  const query = { category: 'spot', symbol, interval: intervalNames[interval], limit: String(limit) };
  return new URLSearchParams({ ...query, end: String(last_ms + 1) }).toString();
}

/** The candles in Bybit's answer, as it wrote them. Throws a `SourceError` when any row has another shape. */
export function parseBybitKlines(answer: unknown): RawCandle[] {
  const envelope = Envelope.safeParse(answer);
  if (!envelope.success) throw new SourceError('answered with another envelope');
  const { retCode, result } = envelope.data;
  if (retCode !== 0) throw new SourceError('answered with an error', { fault: faults.get(retCode) });
  const klines = Klines.safeParse(result);
  if (!klines.success) throw new SourceError('answered with something other than a list of candles');
  return klines.data.list.map(([start_ms, open, high, low, close, volume]) => ({
    start_ms,
    open,
    high,
    low,
    close,
    volume,
  }));
}
