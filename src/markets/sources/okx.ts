import { z } from 'zod';
import { parsePrice } from '../../money/amounts.ts';
import { createMarketPriceSource } from './listed-price-source.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { type Faults, NumericText, OptionalNumericText, TimeText, readAnswer } from './read-answer.ts';
import { type RawTicker, readTickers } from './read-tickers.ts';

/** The envelope of every answer. Errors may come with status 200; `code` is text. */
const Envelope = z.object({ code: z.literal('0'), data: z.array(z.unknown()) });

const faults: Faults = new Map([
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

/** Prices from OKX's public market data at `baseUrl`: one request, which it answers with its whole spot market. */
export function createOkxPriceSource(baseUrl: string): PriceSource {
  return createMarketPriceSource('okx', `${baseUrl}/api/v5/market/tickers?instType=SPOT`, parseOkxTickers);
}

/** The tickers in OKX's answer. Throws a `SourceError` when it is an error or another envelope. */
export function parseOkxTickers(answer: unknown): SourceTicker[] {
  return readTickers('okx', readAnswer(Envelope, answer, 'code', faults).data, 'instId', TickerRow);
}
