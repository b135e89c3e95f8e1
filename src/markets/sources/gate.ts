import { z } from 'zod';
import { priceBeforePercent } from '../../money/amounts.ts';
import type { PriceFeed } from './price-feed.ts';
import { type Faults, readAnswer, textOf } from './read-answer.ts';

/** Errors come with a status of 4xx or 5xx. If one came with 200, it would be an object instead of a list. */
const faults: Faults = new Map([
  ['INVALID_CURRENCY', 'question_refused'],
  ['INVALID_CURRENCY_PAIR', 'question_refused'],
  ['INVALID_PARAM_VALUE', 'question_refused'],
  ['TOO_MANY_REQUESTS', 'rate_limited'],
]);

/**
 * Gate's public market data: one request, which it answers with its whole spot market. It gives no time and no open:
 * `change_percentage` is a percentage of two decimals, so the open is exact to some 0.005 %. `base_volume` may be `nan`.
 */
export const gatePrices: PriceFeed = {
  venue: 'gate',
  path: '/api/v4/spot/tickers',
  listRows: (answer) => readAnswer(z.array(z.unknown()), answer, 'label', faults),
  symbolField: 'currency_pair',
  readRow: (row) => ({
    price: row['last'],
    book: { bid: row['highest_bid'], ask: row['lowest_ask'] },
    open24h: priceBeforePercent(textOf(row['last']), textOf(row['change_percentage'])),
    volume24h: row['base_volume'],
    venueTime_ms: null,
  }),
};
