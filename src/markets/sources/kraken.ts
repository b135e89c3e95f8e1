import { z } from 'zod';
import type { PriceFeed } from './price-feed.ts';
import { SourceError, type SourceFault } from './source-error.ts';

/** The envelope of `GET /0/public/Ticker`. Errors come with status 200, too, and may come without a result; so do warnings. */
const Envelope = z.object({ error: z.array(z.unknown()), result: z.record(z.string(), z.unknown()).optional() });

/** Messages that begin so are warnings, and the result is valid (Kraken's messages are `<severity><category>:<text>`). */
const WARNING = 'W';

/** Kraken's public limit is about one request a second for an IP address, which others may share. */
const LEAST_INTERVAL_MS = 1_500;

const faults: readonly (readonly [prefix: string, SourceFault])[] = [
  ['EQuery:Unknown asset pair', 'question_refused'],
  ['EGeneral:Invalid arguments', 'question_refused'],
  ['EAPI:Rate limit exceeded', 'rate_limited'],
  ['EGeneral:Too many requests', 'rate_limited'],
  ['EService:Throttled', 'rate_limited'],
];

/** An entry of a list; of anything else, `undefined`. */
const entryOf = (list: unknown, index: number): unknown => (Array.isArray(list) ? list[index] : undefined);

/**
 * Kraken's public market data: one request for all coins that it lists against USDT. `a` and `b` are the best ask and bid
 * with lots, `c` is the last trade's price and lot, `v` the volume in the base today and in the last 24 hours. There is no
 * time, and `o` is the open of the UTC day, so neither is taken.
 */
export const krakenPrices: PriceFeed = {
  venue: 'kraken',
  path: '/0/public/Ticker',
  listOf: (symbols) => `?pair=${symbols.join(',')}`,
  leastInterval_ms: LEAST_INTERVAL_MS,
  listRows,
  symbolField: 'pair',
  readRow: ({ a, b, c, v }) => ({
    price: entryOf(c, 0),
    book: { bid: entryOf(b, 0), ask: entryOf(a, 0) },
    open24h: null,
    volume24h: entryOf(v, 1),
    venueTime_ms: null,
  }),
};

/** USDT pairs answer under the name they are asked by (the oldest USD pairs do not). */
function listRows(answer: unknown): readonly unknown[] {
  const envelope = Envelope.safeParse(answer);
  if (!envelope.success) throw new SourceError('answered with another envelope');
  const { error, result } = envelope.data;
  const errors = error.filter((entry) => typeof entry !== 'string' || !entry.startsWith(WARNING));
  if (errors.length > 0 || !result) throw new SourceError('answered with an error', { fault: findFault(errors) });
  return Object.entries(result).map(([pair, row]) => ({ ...(row as object | null), pair }));
}

function findFault([first]: readonly unknown[]): SourceFault | undefined {
  return faults.find(([prefix]) => typeof first === 'string' && first.startsWith(prefix))?.[1];
}
