import { z } from 'zod';
import { priceBeforePercent } from '../../money/amounts.ts';
import { createListedPriceSource } from './listed-price-source.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { type Faults, NumericText, OptionalNumericText, readAnswer } from './read-answer.ts';
import { type RawTicker, readTickers } from './read-tickers.ts';

/** An answer of the public part of Advanced Trade: products, or an error in one of two shapes. */
const Envelope = z.object({ products: z.array(z.unknown()) });

const faults: Faults = new Map([
  ['INVALID_ARGUMENT', 'question_refused'],
  ['NOT_FOUND', 'question_refused'],
  ['RESOURCE_EXHAUSTED', 'rate_limited'],
]);

/** A flag that is not set. Coinbase leaves one out where it does not apply. */
const Unset = z.literal(false).optional();

/**
 * A product. The change is a percentage of many digits, `volume_24h` is in the base, and there is neither a book nor a
 * time. So a product that does not trade freely is left out: its last price may be of any age or come from an auction.
 */
const ProductRow = z
  .object({
    product_type: z.literal('SPOT'),
    status: z.literal('online').optional(),
    is_disabled: Unset,
    trading_disabled: Unset,
    view_only: Unset,
    cancel_only: Unset,
    limit_only: Unset,
    post_only: Unset,
    auction_mode: Unset,
    price: NumericText,
    price_percentage_change_24h: OptionalNumericText,
    volume_24h: OptionalNumericText,
  })
  .transform((row): RawTicker => ({
    price: row.price,
    book: null,
    open24h: priceBeforePercent(row.price, row.price_percentage_change_24h),
    volume24h: row.volume_24h,
    venueTime_ms: null,
  }));

/** Prices from Coinbase's public market data at `baseUrl`: one request for all coins that it lists against USDT. */
export function createCoinbasePriceSource(baseUrl: string): PriceSource {
  const url = (symbols: readonly string[] | null) => {
    const list = (symbols ?? []).map((symbol) => `&product_ids=${symbol}`).join('');
    return `${baseUrl}/api/v3/brokerage/market/products?product_type=SPOT${list}`;
  };
  return createListedPriceSource('coinbase', url, parseCoinbaseTickers);
}

/** The tickers in Coinbase's answer. Throws a `SourceError` when it has no list of products. */
export function parseCoinbaseTickers(answer: unknown): SourceTicker[] {
  return readTickers('coinbase', readAnswer(Envelope, answer, 'error', faults).products, 'product_id', ProductRow);
}
