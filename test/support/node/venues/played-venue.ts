import type { Venue } from './venue-state.ts';

export interface VenueAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface VenueQuestion {
  readonly kind: 'tickers' | 'klines';
  /** Answers as the venue would at a given time, errors included. */
  answer(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer;
}

/** A book as a stream says it; `null` on a side without orders. */
export interface PlayedBook {
  /** The market in the spelling of the venue's other interface. */
  readonly symbol: string;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly time_ms: number;
  readonly id: number;
}

/** How a venue's stream speaks. Markets are in the spelling of the venue's other interface. */
export interface PlayedStream {
  readonly welcome?: string;
  /** The markets that an address names. */
  named?(query: URLSearchParams): readonly string[];
  /** Reads a message: its answers, and the markets of `listed` that are subscribed to. */
  read(text: string, listed: readonly string[]): { readonly symbols?: readonly string[]; readonly answers: string[] };
  writeBook(book: PlayedBook): string;
  /** What it says each second for a market beside books, if anything. */
  writeTime?(symbol: string, time_ms: number): string;
}

export interface PlayedVenue {
  readonly stream: PlayedStream;
  readonly questions: Readonly<Record<string, VenueQuestion>>;
  /** Its message for an internal failure. */
  readonly error: VenueAnswer;
  /** Its message for too many requests. */
  readonly limited: VenueAnswer;
}
