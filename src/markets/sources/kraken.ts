import { z } from 'zod';
import { createListedPriceSource } from './listed-price-source.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { NumericText, OptionalNumericText } from './read-answer.ts';
import { type RawTicker, readTickers } from './read-tickers.ts';
import { SourceError, type SourceFault } from './source-error.ts';

/** The envelope of `GET /0/public/Ticker`. Errors come with status 200, too, and may come without a result; so do warnings. */
const Envelope = z.object({ error: z.array(z.unknown()), result: z.record(z.string(), z.unknown()).optional() });

/**
 * Messages that begin so are warnings, and the result is valid (Kraken's messages are `<severity><category>:<text>`).
 */
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

/** A side of the book: its best price, and lots. */
const Side = z.tuple([OptionalNumericText], z.unknown()).catch(['']);

/**
 * One pair: `a` and `b` are the best ask and bid, `c` is the last trade's price and lot, `v` the volume in the base
 * today and in the last 24 hours. There is no time, and `o` is the open of the UTC day, so neither is taken.
 */
const PairRow = z
  .object({
    a: Side,
    b: Side,
    c: z.tuple([NumericText], z.unknown()),
    v: z.tuple([z.unknown(), OptionalNumericText]).catch([null, '']),
  })
  .transform(({ a, b, c, v }): RawTicker => ({
    price: c[0],
    book: { bid: b[0], ask: a[0] },
    open24h: null,
    volume24h: v[1],
    venueTime_ms: null,
  }));

/** Prices from Kraken's public market data at `baseUrl`: one request for all coins that it lists against USDT. */
export function createKrakenPriceSource(baseUrl: string): PriceSource {
  const url = (symbols: readonly string[] | null) =>
    `${baseUrl}/0/public/Ticker${symbols === null ? '' : `?pair=${symbols.join(',')}`}`;
  return createListedPriceSource('kraken', url, parseKrakenTickers, LEAST_INTERVAL_MS);
}

/**
 * The tickers in Kraken's answer. Its USDT pairs answer under the name they are asked by (its oldest USD pairs do
 * not). Throws a `SourceError` when the envelope is another, lists an error, or has no result.
 */
export function parseKrakenTickers(answer: unknown): SourceTicker[] {
  const envelope = Envelope.safeParse(answer);
  if (!envelope.success) throw new SourceError('answered with another envelope');
  const { error, result } = envelope.data;
  const errors = error.filter((entry) => typeof entry !== 'string' || !entry.startsWith(WARNING));
  if (errors.length > 0 || !result) throw new SourceError('answered with an error', { fault: findFault(errors) });
  const rows = Object.entries(result).map(([pair, row]) => ({ ...(row as object | null), pair }));
  return readTickers('kraken', rows, 'pair', PairRow);
}

function findFault(errors: readonly unknown[]): SourceFault | undefined {
  const [first] = errors;
  return faults.find(([prefix]) => typeof first === 'string' && first.startsWith(prefix))?.[1];
}
