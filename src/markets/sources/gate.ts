import { z } from 'zod';
import { priceBeforePercent } from '../../money/amounts.ts';
import { createMarketPriceSource } from './listed-price-source.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { type Faults, NumericText, OptionalNumericText, readAnswer } from './read-answer.ts';
import { type RawTicker, readTickers } from './read-tickers.ts';

/** Errors come with a status of 4xx or 5xx. If one came with 200, it would be an object instead of a list. */
const faults: Faults = new Map([
  ['INVALID_CURRENCY', 'question_refused'],
  ['INVALID_CURRENCY_PAIR', 'question_refused'],
  ['INVALID_PARAM_VALUE', 'question_refused'],
  ['TOO_MANY_REQUESTS', 'rate_limited'],
]);

/**
 * A row of `GET /api/v4/spot/tickers`. It gives no time and no open: `change_percentage` is a percentage of two
 * decimals, so the open is exact to some 0.005 %. `base_volume` may be `nan`.
 */
const TickerRow = z
  .object({
    last: NumericText,
    highest_bid: OptionalNumericText,
    lowest_ask: OptionalNumericText,
    change_percentage: OptionalNumericText,
    base_volume: OptionalNumericText,
  })
  .transform((row): RawTicker => ({
    price: row.last,
    book: { bid: row.highest_bid, ask: row.lowest_ask },
    open24h: priceBeforePercent(row.last, row.change_percentage),
    volume24h: row.base_volume,
    venueTime_ms: null,
  }));

/** Prices from Gate's public market data at `baseUrl`: one request, which it answers with its whole spot market. */
export function createGatePriceSource(baseUrl: string): PriceSource {
  return createMarketPriceSource('gate', `${baseUrl}/api/v4/spot/tickers`, parseGateTickers);
}

/** The tickers in Gate's answer. Throws a `SourceError` when it is not a list, as its errors `{label, message}` are not. */
export function parseGateTickers(answer: unknown): SourceTicker[] {
  return readTickers('gate', readAnswer(z.array(z.unknown()), answer, 'label', faults), 'currency_pair', TickerRow);
}
