import type { PriceVenue } from '../../money/venue-symbols.ts';
import { SourceError } from '../sources/source-error.ts';

/**
 * What a venue said. Of a `book` a side is `null` where it has no orders, and absent where it has not changed; the time is
 * the venue's own, `null` where its messages have none. A `time` tells the venue's clock alone.
 */
export type StreamEvent =
  | {
      readonly kind: 'book';
      readonly symbol: string;
      readonly bid?: string | null;
      readonly ask?: string | null;
      readonly event_ms: number | null;
    }
  | { readonly kind: 'time'; readonly event_ms: number }
  | { readonly kind: 'pong' }
  /** It takes subscriptions from now on. */
  | { readonly kind: 'welcome' }
  | { readonly kind: 'refused'; readonly symbol: string | null }
  /** It will close the socket soon. */
  | { readonly kind: 'leaving' };

/** How a venue pushes the best bid and ask of its markets. */
export interface StreamSource {
  readonly venue: PriceVenue;
  /** The stream's spelling of a market, where it is not that of the venue's other interface. */
  spell?(symbol: string): string;
  /** The address for these markets, where it is not the configured one. Rejects with a `SourceError`. */
  findUrl?(base: string, symbols: readonly string[], signal: AbortSignal): Promise<string> | string;
  /** Whether it says when it takes subscriptions; else they are sent at once. */
  readonly welcomes?: true;
  /** The messages that subscribe to these markets, and to the venue's clock where books have no time. */
  subscribe(symbols: readonly string[]): readonly string[];
  /** Asks for a pong, which tells how long the way is and keeps the socket. */
  ping(id: number): string;
  /** What a message says; nothing where it concerns nobody here. Throws where it is no JSON. */
  read(text: string): readonly StreamEvent[];
}

/** A member of a value from outside, at any depth; `undefined` where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, name) =>
      typeof part === 'object' && part !== null ? (part as Record<string | number, unknown>)[name] : undefined,
    value,
  );
}

const PLAIN = /^\d{1,20}(\.\d{1,20})?$/;

/** One side of a book as the venue wrote it; `null` for everything that is no plain decimal. */
export function sideOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && PLAIN.test(text) ? text : null;
}

/** A time in milliseconds, of a number, digits, or a date; `null` for everything else. */
export function timeOf(value: unknown): number | null {
  const time_ms = typeof value === 'string' ? (/^\d{1,15}$/.test(value) ? Number(value) : Date.parse(value)) : value;
  return typeof time_ms === 'number' && Number.isFinite(time_ms) && time_ms > 0 ? time_ms : null;
}

/** The event of a book, if it names its market. */
export function bookOf(symbol: unknown, bid: unknown, ask: unknown, time: unknown): readonly StreamEvent[] {
  if (typeof symbol !== 'string') return [];
  return [{ kind: 'book', symbol, bid: sideOf(bid), ask: sideOf(ask), event_ms: timeOf(time) }];
}

/** The event of a clock, if there is a time. */
export function clockOf(time: unknown): readonly StreamEvent[] {
  const event_ms = timeOf(time);
  return event_ms === null ? [] : [{ kind: 'time', event_ms }];
}

/** Parses a message. Throws a `SourceError` where it is none. */
export function parseMessage(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new SourceError('said something other than JSON', { cause });
  }
}
