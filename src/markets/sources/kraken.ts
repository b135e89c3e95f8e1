import { z } from 'zod';
import { assets, coinSymbols } from '../../money/assets.ts';
import { parsePrice, parseVolume } from '../../money/prices.ts';
import { fetchJson } from './fetch-json.ts';
import { NumericText } from './numeric-text.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { SourceError } from './source-error.ts';

/** The envelope of `GET /0/public/Ticker`. Errors come with status 200, too. */
const Envelope = z.object({ error: z.array(z.unknown()).length(0), result: z.record(z.string(), z.unknown()) });

/** One pair: `c` is the last trade's price and lot, `v` the volume in the base today and in the last 24 hours. */
const PairRow = z.object({
  c: z.tuple([NumericText], z.unknown()),
  v: z.tuple([z.unknown(), NumericText]).catch([null, '']),
});

const pairs = coinSymbols.flatMap((coin) => {
  const symbol = assets[coin].venueSymbols.kraken;
  return symbol === null ? [] : [{ coin, symbol }];
});

/** Prices from Kraken's public market data at `baseUrl`: one request for all coins that it lists against USDT. */
export function createKrakenPriceSource(baseUrl: string): PriceSource {
  const url = `${baseUrl}/0/public/Ticker?pair=${pairs.map(({ symbol }) => symbol).join(',')}`;
  return {
    name: 'kraken',
    fetchTickers: async (signal) => parseKrakenTickers(await fetchJson(url, signal)),
  };
}

/**
 * The tickers in Kraken's answer. Its USDT pairs answer under the name they are asked by (its oldest USD pairs do
 * not). It gives no time, and its `o` is the open of the UTC day, so neither is taken from it. Throws a `SourceError`
 * when the envelope is another or lists an error.
 */
export function parseKrakenTickers(answer: unknown): SourceTicker[] {
  const envelope = Envelope.safeParse(answer);
  if (!envelope.success) throw new SourceError('answered with an error or another envelope');
  return pairs.flatMap(({ coin, symbol }) => {
    const row = PairRow.safeParse(envelope.data.result[symbol]);
    const price = row.success ? parsePrice(row.data.c[0]) : undefined;
    if (!row.success || !price) return [];
    return [{ coin, price, open24h: null, volume24h: parseVolume(row.data.v[1]) ?? null, venueTime_ms: null }];
  });
}
