import type { z } from 'zod';
import { type Coin, assets, coinSymbols } from '../../money/assets.ts';
import { type Price, parsePrice, parseVolume } from '../../money/amounts.ts';
import type { Venue } from '../../money/venue-symbols.ts';
import type { Book, SourceTicker } from './price-source.ts';
import { fieldOf } from './read-answer.ts';

/** One market as a venue wrote it, numbers as text. */
export interface RawTicker {
  readonly price: string;
  /** `null` if the venue gives none. A side whose price is not valid has no orders. */
  readonly book: { readonly bid: string; readonly ask: string } | null;
  readonly open24h: Price | null | undefined;
  /** In the base asset. */
  readonly volume24h: string;
  readonly venueTime_ms: number | null;
}

/** The coins that a venue is asked for, by its own symbols. */
export function coinsBySymbol(venue: Venue): ReadonlyMap<string, Coin> {
  return new Map(
    coinSymbols.flatMap((coin) => {
      const symbol = assets[coin].venueSymbols[venue];
      return symbol === null ? [] : [[symbol, coin] as const];
    }),
  );
}

/**
 * The tickers in a venue's rows, one for each coin; of two rows of one coin the later counts. Rows of other markets are
 * skipped. A row that `Row` refuses, or whose price is not valid, is left out; the others are kept.
 */
export function readTickers(
  venue: Venue,
  rows: readonly unknown[],
  symbolField: string,
  Row: z.ZodType<RawTicker>,
): SourceTicker[] {
  const coins: ReadonlyMap<unknown, Coin> = coinsBySymbol(venue);
  const tickers = new Map<Coin, SourceTicker>();
  for (const entry of rows) {
    const coin = coins.get(fieldOf(entry, symbolField));
    const row = coin && Row.safeParse(entry);
    const price = row?.success ? parsePrice(row.data.price) : undefined;
    if (!coin || !row?.success || !price) continue;
    const { book, open24h, volume24h, venueTime_ms } = row.data;
    tickers.set(coin, {
      coin,
      price,
      book: book && readBook(book),
      open24h: open24h ?? null,
      volume24h: parseVolume(volume24h) ?? null,
      venueTime_ms,
    });
  }
  return [...tickers.values()];
}

function readBook({ bid, ask }: NonNullable<RawTicker['book']>): Book {
  return { bid: parsePrice(bid) ?? null, ask: parsePrice(ask) ?? null };
}
