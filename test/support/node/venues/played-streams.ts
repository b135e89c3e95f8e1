import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type AcceptedSocket, acceptSocket } from '../run/accept-socket.ts';
import type { PlayedStream } from './played-venue.ts';
import { type Venue, type VenueName, bookOf } from './venue-state.ts';

/** A book is said again this often though it has not changed, so that a market that stands still still speaks. */
const BOOK_MS = 100;
const CLOCK_MS = 1_000;

interface OpenSocket {
  readonly name: VenueName;
  readonly socket: AcceptedSocket;
  readonly symbols: Set<string>;
}

/** The venues' streams: each socket gets the books that it subscribes to, every tenth of a second and as they change. */
export class PlayedStreams {
  readonly #streams: Readonly<Record<VenueName, PlayedStream>>;
  readonly #stateOf: (name: VenueName) => Venue;
  readonly #open = new Set<OpenSocket>();
  readonly #timers: readonly NodeJS.Timeout[];
  #count = 0;

  constructor(streams: Readonly<Record<VenueName, PlayedStream>>, stateOf: (name: VenueName) => Venue) {
    this.#streams = streams;
    this.#stateOf = stateOf;
    this.#timers = [
      setInterval(() => this.#sayBooks(() => true), BOOK_MS),
      setInterval(() => this.#sayTimes(), CLOCK_MS),
    ];
  }

  /** Accepts a socket, or answers with a page of refusal. */
  accept(name: VenueName, url: URL, request: IncomingMessage, connection: Duplex): void {
    const { stream, status } = this.#stateOf(name);
    if (stream === 'refused') {
      connection.end(`HTTP/1.1 ${status ?? 403} No\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html><title>No</title>`);
      return;
    }
    const played = this.#streams[name];
    const symbols = new Set(played.named?.(url.searchParams));
    const socket = acceptSocket(request, connection, {
      read: (text) => this.#later(name, () => this.#answer(open, text)),
      end: () => this.#open.delete(open),
    });
    const open: OpenSocket = { name, socket, symbols };
    this.#open.add(open);
    if (played.welcome) this.#say(open, played.welcome);
  }

  /** After the venues were changed: says the changed books at once, and breaks the sockets of those that now refuse. */
  change(before: Readonly<Record<VenueName, Venue>>): void {
    for (const { name, socket } of this.#open) if (this.#stateOf(name).stream === 'refused') socket.destroy();
    this.#sayBooks((name, symbol) => before[name].markets[symbol] !== this.#stateOf(name).markets[symbol]);
  }

  cut(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.cut();
  }

  #answer(open: OpenSocket, text: string): void {
    const { symbols = [], answers } = this.#streams[open.name].read(
      text,
      Object.keys(this.#stateOf(open.name).markets),
    );
    for (const answer of answers) this.#say(open, answer);
    for (const symbol of symbols) {
      open.symbols.add(symbol);
      this.#sayBook(open, symbol);
    }
  }

  #sayBooks(isMeant: (name: VenueName, symbol: string) => boolean): void {
    for (const open of this.#open) {
      for (const symbol of open.symbols) if (isMeant(open.name, symbol)) this.#sayBook(open, symbol);
    }
  }

  #sayBook(open: OpenSocket, symbol: string): void {
    const { markets, frozen, skew_ms, said } = this.#stateOf(open.name);
    const market = markets[symbol];
    if (!market || frozen.includes(symbol)) return;
    this.#count += 1;
    const { bid, ask } = bookOf(market, null);
    const book = { symbol, bid, ask, time_ms: Date.now() + skew_ms - market.age_ms, id: this.#count };
    this.#say(open, said ?? this.#streams[open.name].writeBook(book));
  }

  #sayTimes(): void {
    for (const open of this.#open) {
      const { skew_ms } = this.#stateOf(open.name);
      for (const symbol of open.symbols) {
        const text = this.#streams[open.name].writeTime?.(symbol, Date.now() + skew_ms);
        if (text !== undefined) this.#say(open, text);
      }
    }
  }

  #say(open: OpenSocket, text: string): void {
    if (this.#stateOf(open.name).stream === 'silent') return;
    this.#later(open.name, () => open.socket.send(text));
  }

  /** The way takes as long in both directions, and keeps the order. */
  #later(name: VenueName, act: () => void): void {
    const { way_ms } = this.#stateOf(name);
    if (way_ms === 0) act();
    else setTimeout(act, way_ms);
  }
}
