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

export interface PlayedVenue {
  readonly questions: Readonly<Record<string, VenueQuestion>>;
  /** Its message for an internal failure. */
  readonly error: VenueAnswer;
  /** Its message for too many requests. */
  readonly limited: VenueAnswer;
}
