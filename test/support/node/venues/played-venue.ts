import type { Venue } from './venue-state.ts';

/** What a venue says: a status and a JSON body. */
export interface VenueAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A question that a venue understands. */
export interface VenueQuestion {
  readonly kind: 'tickers' | 'klines';
  /** Answers as the venue would, errors included, at a time. */
  answer(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer;
}

/** How the server plays one venue. */
export interface PlayedVenue {
  /** The questions by path. */
  readonly questions: Readonly<Record<string, VenueQuestion>>;
  /** Its words for a failure of its own. */
  readonly error: VenueAnswer;
  /** Its words for being asked too often. */
  readonly limited: VenueAnswer;
}
