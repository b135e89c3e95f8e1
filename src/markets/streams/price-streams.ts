import { type Coin, assets, coinSymbols } from '../../money/assets.ts';
import type { PriceVenue } from '../../money/venue-symbols.ts';
import { MANY_VOTES, type Vote } from '../ripe-price.ts';
import type { StreamSource } from './stream-source.ts';
import { type StreamState, type StreamTools, VenueStream } from './venue-stream.ts';

const ADVANCE_MS = 250;

/** A venue's stream, and where it is. */
export interface StreamPlace {
  readonly source: StreamSource;
  readonly url: string;
}

/** The streams of all venues: opened and closed together, and renewed one at a time. */
export class PriceStreams {
  readonly isInMemory = false;
  readonly #streams: ReadonlyMap<PriceVenue, VenueStream>;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(places: readonly StreamPlace[], tools: StreamTools) {
    this.#streams = new Map(
      places.map(({ source, url }) => [source.venue, new VenueStream(source, url, listSymbols(source.venue), tools)]),
    );
  }

  /** Opens what is not open, and keeps it so. */
  open(): void {
    this.#timer ??= setInterval(() => this.advance(), ADVANCE_MS);
    this.advance();
  }

  close(): void {
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
    for (const stream of this.#streams.values()) stream.close();
  }

  /** Does what is due in each stream. At most one socket is renewed at a time. */
  advance(): void {
    const streams = [...this.#streams.values()];
    const isShort = streams.filter(({ isOpen }) => isOpen).length < MANY_VOTES;
    let isRenewing = streams.some((stream) => stream.isRenewing);
    for (const stream of streams) {
      stream.advance({ mayRenew: !isRenewing, isShort });
      isRenewing ||= stream.isRenewing;
    }
  }

  /** One vote of each venue that has a book of the coin. */
  votes(coin: Coin): readonly Vote[] {
    return this.#carrying(coin).flatMap(({ stream, symbol }) => stream.voteOf(symbol));
  }

  /** How many sockets that carry the coin are open, or were lost less than 5 s ago. */
  alive(coin: Coin, now_ms: number): number {
    return this.#carrying(coin).filter(({ stream }) => stream.isAlive(now_ms)).length;
  }

  #carrying(coin: Coin): readonly { readonly stream: VenueStream; readonly symbol: string }[] {
    return [...this.#streams].flatMap(([venue, stream]) => {
      const symbol = assets[coin].venueSymbols[venue];
      return symbol === null ? [] : [{ stream, symbol }];
    });
  }

  states(now_ms: number): Readonly<Record<string, StreamState>> {
    return Object.fromEntries([...this.#streams].map(([venue, stream]) => [venue, stream.state(now_ms)]));
  }
}

/** The markets that a venue is asked for, in the spelling of its other interface. */
export function listSymbols(venue: PriceVenue): readonly string[] {
  return coinSymbols.flatMap((coin) => assets[coin].venueSymbols[venue] ?? []);
}
