import { type Coin, assets, coinSymbols } from '../../money/assets.ts';
import { type Price, parsePrice, parseVolume } from '../../money/amounts.ts';
import type { PriceVenue, Venue } from '../../money/venue-symbols.ts';
import { fetchJson } from './fetch-json.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { fieldOf, textOf } from './read-answer.ts';
import { SourceError } from './source-error.ts';

/** One market as a venue wrote it. A price that is not valid leaves it out; any other number counts as absent then. */
export interface RawTicker {
  readonly price: unknown;
  /** `null` if the venue gives none. A side whose price is not valid has no orders. */
  readonly book: { readonly bid: unknown; readonly ask: unknown } | null;
  readonly open24h: Price | null | undefined;
  /** In the base asset. */
  readonly volume24h: unknown;
  /** `null` if the venue gives none; without a valid one, `undefined`, the market is left out. */
  readonly venueTime_ms: number | null | undefined;
}

/** How a venue is asked for prices, and how its answer is read. */
export interface PriceFeed {
  readonly venue: PriceVenue;
  /** The path that gives its whole market. */
  readonly path: string;
  /** What the path ends with to give these symbols alone; absent where the venue takes no list. */
  listOf?(symbols: readonly string[]): string;
  /** Absent if the venue allows far more requests than Bureau sends. */
  readonly leastInterval_ms?: number;
  /** Whether its answers are gathered before they are asked for. */
  readonly isGathered?: boolean;
  /** The markets in an answer. Throws a `SourceError`, of fault `question_refused` when the list is the reason. */
  listRows(answer: unknown): readonly unknown[];
  /** The member of a row that has its symbol. */
  readonly symbolField: string;
  /** One row; `undefined` for a market that is none of the spot market, or does not trade freely. */
  readRow(row: Readonly<Record<string, unknown>>, answer: unknown): RawTicker | undefined;
}

/** After a refused list, how long a venue is asked only for the symbols that it lists. */
const LISTED_MS = 3_600_000;

/**
 * A venue that is asked for prices at `baseUrl`, with one request for all coins. One that takes a list of symbols refuses
 * the whole list when it does not know one of them. So that a delisting costs one coin and not the whole venue, a refused
 * list is followed by one request for the whole market. For an hour only the symbols found there are asked for, then all
 * again.
 */
export function createPriceSource(feed: PriceFeed, baseUrl: string): PriceSource {
  const { venue, path, leastInterval_ms = 0, isGathered = false } = feed;
  const all = [...coinsBySymbol(venue).keys()];
  let listed = { symbols: all, until_ms: -Infinity };
  const ask = async (list: string, signal: AbortSignal) =>
    readTickers(feed, await fetchJson(`${baseUrl}${path}${list}`, signal));
  // The venue refuses the whole market as well, so the fault is the venue's and not this question's.
  const askForAll = async (signal: AbortSignal) => {
    try {
      return await ask('', signal);
    } catch (error) {
      if (!(error instanceof SourceError) || error.fault !== 'question_refused') throw error;
      throw new SourceError('refuses even the question for its whole market', { cause: error });
    }
  };
  return {
    name: venue,
    leastInterval_ms,
    isGathered,
    fetchTickers: async (signal, now_ms) => {
      if (!feed.listOf) return ask('', signal);
      try {
        return await ask(feed.listOf(now_ms < listed.until_ms ? listed.symbols : all), signal);
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

function coinsBySymbol(venue: Venue): ReadonlyMap<string, Coin> {
  return new Map(
    coinSymbols.flatMap((coin) => {
      const symbol = assets[coin].venueSymbols[venue];
      return symbol === null ? [] : [[symbol, coin] as const];
    }),
  );
}

/**
 * The tickers in a venue's answer, one for each coin; of two rows of one coin the later counts. Rows of other markets are
 * skipped. A row whose price or time is not valid is left out; the others are kept. Throws as `PriceFeed.listRows` does.
 */
export function readTickers(feed: PriceFeed, answer: unknown): SourceTicker[] {
  const coins: ReadonlyMap<unknown, Coin> = coinsBySymbol(feed.venue);
  const tickers = new Map<Coin, SourceTicker>();
  for (const entry of feed.listRows(answer)) {
    const coin = coins.get(fieldOf(entry, feed.symbolField));
    const row = coin && feed.readRow(entry as Readonly<Record<string, unknown>>, answer);
    const price = row && parsePrice(textOf(row.price));
    if (!coin || !price || row.venueTime_ms === undefined) continue;
    const { book, open24h = null, volume24h, venueTime_ms } = row;
    const [bid = null, ask = null] = [book?.bid, book?.ask].map((side) => parsePrice(textOf(side)));
    tickers.set(coin, {
      coin,
      price,
      book: book && { bid, ask },
      open24h,
      volume24h: parseVolume(textOf(volume24h)) ?? null,
      venueTime_ms,
    });
  }
  return [...tickers.values()];
}
