import type { Venue } from './venue-state.ts';

/** A venue's answer: a status and a JSON body. */
export interface VenueAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A kind of request that a venue understands. */
export interface VenueQuestion {
  readonly kind: 'tickers' | 'klines';
  /** Answers as the venue would at a given time, errors included. */
  answer(venue: Venue, query: URLSearchParams, now_ms: number): VenueAnswer;
}

/** How the server simulates one venue. */
export interface PlayedVenue {
  /** The kinds of request, by path. */
  readonly questions: Readonly<Record<string, VenueQuestion>>;
  /** Its message for an internal failure. */
  readonly error: VenueAnswer;
  /** Its message for too many requests. */
  readonly limited: VenueAnswer;
}
