import { assets } from '../../money/assets.ts';
import type { Venue } from '../../money/venue-symbols.ts';
import { fetchJson } from './fetch-json.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { coinsBySymbol } from './read-tickers.ts';
import { SourceError } from './source-error.ts';

/** A venue that is asked for its whole market, as often as Bureau wants. */
export function createMarketPriceSource(
  venue: Venue,
  url: string,
  parse: (answer: unknown) => SourceTicker[],
): PriceSource {
  return { name: venue, leastInterval_ms: 0, fetchTickers: async (signal) => parse(await fetchJson(url, signal)) };
}

/** After a refused list, how long a venue is asked only for the symbols that it lists. */
const LISTED_MS = 3_600_000;

/**
 * A venue that is asked for a list of symbols and refuses the whole list when it does not know one of them. So that a
 * delisting costs one coin and not the whole venue, a refused list is followed by one request for the whole market
 * (`urlOf(null)`). For an hour only the symbols found there are asked for, then all again.
 *
 * `parse` throws a `SourceError`, with the fault `question_refused` when the list is the reason.
 */
export function createListedPriceSource(
  venue: Venue,
  urlOf: (symbols: readonly string[] | null) => string,
  parse: (answer: unknown) => SourceTicker[],
  leastInterval_ms = 0,
): PriceSource {
  const all = [...coinsBySymbol(venue).keys()];
  let listed = { symbols: all, until_ms: -Infinity };
  const ask = async (symbols: readonly string[] | null, signal: AbortSignal) =>
    parse(await fetchJson(urlOf(symbols), signal));
  // The venue refuses the whole market as well, so the fault is the venue's and not this question's.
  const askForAll = async (signal: AbortSignal) => {
    try {
      return await ask(null, signal);
    } catch (error) {
      if (!(error instanceof SourceError) || error.fault !== 'question_refused') throw error;
      throw new SourceError('refuses even the question for its whole market', { cause: error });
    }
  };
  return {
    name: venue,
    leastInterval_ms,
    fetchTickers: async (signal, now_ms) => {
      try {
        return await ask(now_ms < listed.until_ms ? listed.symbols : all, signal);
      } catch (refusal) {
        if (!(refusal instanceof SourceError) || refusal.fault !== 'question_refused') throw refusal;
        const tickers = await askForAll(signal);
        if (tickers.length === 0) return [];
        const symbols = tickers.flatMap(({ coin }) => assets[coin].venueSymbols[venue] ?? []);
        listed = { symbols, until_ms: now_ms + LISTED_MS };
        return tickers;
      }
    },
  };
}
