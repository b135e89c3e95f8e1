import { z } from 'zod';
import { parsePrice } from '../../money/prices.ts';
import { fetchJson } from './fetch-json.ts';
import { NumericText, OptionalNumericText, TimeText } from './numeric-text.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { type RawTicker, coinsBySymbol, readTickers } from './read-tickers.ts';
import { SourceError, type SourceFault } from './source-error.ts';

/** The envelope of every answer. Errors may come with status 200; `code` is text. */
const Envelope = z.object({ code: z.string(), data: z.unknown() });

const faults: ReadonlyMap<string, SourceFault> = new Map([
  ['50011', 'rate_limited'],
  ['50014', 'question_refused'],
  ['51000', 'question_refused'],
  ['51001', 'question_refused'],
]);

/**
 * A row of `GET /api/v5/market/tickers`. `open24h` is that of 24 hours ago, `sodUtc0` and `sodUtc8` are opens of a day.
 * On the spot market `vol24h` is in the base and `volCcy24h` in the quote; for derivatives it is the other way round.
 */
const TickerRow = z
  .object({
    instType: z.literal('SPOT'),
    last: NumericText,
    bidPx: OptionalNumericText,
    askPx: OptionalNumericText,
    open24h: OptionalNumericText,
    vol24h: OptionalNumericText,
    ts: TimeText,
  })
  .transform((row): RawTicker => ({
    price: row.last,
    book: { bid: row.bidPx, ask: row.askPx },
    open24h: parsePrice(row.open24h),
    volume24h: row.vol24h,
    venueTime_ms: row.ts,
  }));

const coins = coinsBySymbol('okx');

/** Prices from OKX's public market data at `baseUrl`: one request, which it answers with its whole spot market. */
export function createOkxPriceSource(baseUrl: string): PriceSource {
  const url = `${baseUrl}/api/v5/market/tickers?instType=SPOT`;
  return {
    name: 'okx',
    leastInterval_ms: 0,
    fetchTickers: async (signal) => parseOkxTickers(await fetchJson(url, signal)),
  };
}

/** The tickers in OKX's answer. Throws a `SourceError` when it is an error or another envelope. */
export function parseOkxTickers(answer: unknown): SourceTicker[] {
  const envelope = Envelope.safeParse(answer);
  if (!envelope.success) throw new SourceError('answered with another envelope');
  const { code, data } = envelope.data;
  if (code !== '0') throw new SourceError('answered with an error', { fault: faults.get(code) });
  if (!Array.isArray(data)) throw new SourceError('answered with something other than a list of tickers');
  return readTickers(data, coins, 'instId', TickerRow);
}
