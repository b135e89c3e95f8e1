import { z } from 'zod';
import { priceBeforePercent } from '../../money/amounts.ts';
import type { PriceFeed } from './price-feed.ts';
import { type Faults, readAnswer, textOf } from './read-answer.ts';

/** An answer of the public part of Advanced Trade: products, or an error in one of two shapes. */
const Envelope = z.object({ products: z.array(z.unknown()) });

const faults: Faults = new Map([
  ['INVALID_ARGUMENT', 'question_refused'],
  ['NOT_FOUND', 'question_refused'],
  ['RESOURCE_EXHAUSTED', 'rate_limited'],
]);

/** A flag that is not set. Coinbase leaves one out where it does not apply. */
const Unset = z.literal(false).optional();

/** There is no time. So a product that does not trade freely is left out: its price may be old or of an auction. */
const FreeProduct = z.object({
  product_type: z.literal('SPOT'),
  status: z.literal('online').optional(),
  is_disabled: Unset,
  trading_disabled: Unset,
  view_only: Unset,
  cancel_only: Unset,
  limit_only: Unset,
  post_only: Unset,
  auction_mode: Unset,
});

/**
 * Coinbase's public market data: one request for all coins that it lists against USDT. The change is a percentage of
 * many digits, `volume_24h` is in the base, and there is no book.
 */
export const coinbasePrices: PriceFeed = {
  venue: 'coinbase',
  path: '/api/v3/brokerage/market/products?product_type=SPOT',
  listOf: (symbols) => symbols.map((symbol) => `&product_ids=${symbol}`).join(''),
  listRows: (answer) => readAnswer(Envelope, answer, 'error', faults).products,
  symbolField: 'product_id',
  readRow: (row) =>
    FreeProduct.safeParse(row).success
      ? {
          price: row['price'],
          book: null,
          open24h: priceBeforePercent(textOf(row['price']), textOf(row['price_percentage_change_24h'])),
          volume24h: row['volume_24h'],
          venueTime_ms: null,
        }
      : undefined,
};
