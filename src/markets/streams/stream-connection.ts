import { SourceError } from '../sources/source-error.ts';
import type { StreamEvent, StreamSource } from './stream-source.ts';
import { VenueClock } from './venue-clock.ts';

/** The longest message that is read. A book is less than a kilobyte. */
const MAX_MESSAGE_CHARACTERS = 65_536;

/** After this long without a message a socket is cut. Each venue says something every second. */
const SILENCE_MS = 3_000;

const PING_INTERVAL_MS = 15_000;

/** A part of a socket that streams need, so that tests play it. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** A market's best bid and ask as the venue wrote them; they become numbers for an order only. */
export interface HeldBook {
  readonly bid: string | null;
  readonly ask: string | null;
  readonly own_ms: number;
}

/** What a connection learnt that concerns more than its books. */
export type ConnectionNews = Extract<StreamEvent, { kind: 'refused' | 'leaving' }>;

/** One socket of a venue with its books by symbol and its clock: what comes over another socket is another order. */
export class StreamConnection {
  readonly books = new Map<string, HeldBook>();
  readonly clock = new VenueClock();
  readonly opened_ms: number;
  /** As of when its newest message is. Messages are in order, so its books had not changed until then. */
  asOf_ms = -Infinity;
  heard_ms: number;
  readonly #source: StreamSource;
  readonly #socket: Socket;
  readonly #symbols: readonly string[];
  #pings = 0;
  #pinged_ms = -Infinity;
  #isSubscribed = false;

  constructor(source: StreamSource, socket: Socket, symbols: readonly string[], now_ms: number) {
    this.#source = source;
    this.#socket = socket;
    this.#symbols = symbols;
    this.opened_ms = now_ms;
    this.heard_ms = now_ms;
    if (!source.welcomes) this.#subscribe(now_ms);
  }

  /** Whether it has a book that can vote. */
  get hasSpoken(): boolean {
    return this.asOf_ms > -Infinity && this.books.size > 0;
  }

  /** Reads a message. Throws a `SourceError` where it is none, since nobody knows then which book has changed. */
  take(text: string, now_ms: number): readonly ConnectionNews[] {
    if (text.length > MAX_MESSAGE_CHARACTERS) throw new SourceError('said too much at once');
    this.heard_ms = now_ms;
    const news: ConnectionNews[] = [];
    for (const event of this.#source.read(text)) {
      if (event.kind === 'refused' || event.kind === 'leaving') news.push(event);
      else this.#note(event, now_ms);
    }
    return news;
  }

  #note(event: Exclude<StreamEvent, ConnectionNews>, now_ms: number): void {
    if (event.kind === 'welcome') return this.#subscribe(now_ms);
    if (event.kind === 'pong') return this.clock.notePong(now_ms);
    const own_ms = this.clock.asOf(event.event_ms, now_ms);
    this.asOf_ms = Math.max(this.asOf_ms, own_ms);
    if (event.kind === 'time' || !this.#symbols.includes(event.symbol)) return;
    const { bid = null, ask = null } = { ...this.books.get(event.symbol), ...sidesOf(event) };
    this.books.set(event.symbol, { bid, ask, own_ms });
  }

  #subscribe(now_ms: number): void {
    if (this.#isSubscribed) return;
    this.#isSubscribed = true;
    for (const text of this.#source.subscribe(this.#symbols)) this.#socket.send(text);
    this.#ping(now_ms);
  }

  #ping(now_ms: number): void {
    this.#pings += 1;
    this.#pinged_ms = now_ms;
    this.clock.notePing(now_ms);
    this.#socket.send(this.#source.ping(this.#pings));
  }

  /** Sends what is due. Throws a `SourceError` when the venue has been silent for too long. */
  advance(now_ms: number): void {
    if (now_ms - this.heard_ms > SILENCE_MS) throw new SourceError('said nothing');
    if (this.#isSubscribed && now_ms - this.#pinged_ms >= PING_INTERVAL_MS) this.#ping(now_ms);
  }

  close(): void {
    try {
      this.#socket.close(1_000);
    } catch {
      // It is closed already.
    }
  }
}

function sidesOf({ bid, ask }: Extract<StreamEvent, { kind: 'book' }>): Partial<Pick<HeldBook, 'bid' | 'ask'>> {
  return { ...(bid !== undefined && { bid }), ...(ask !== undefined && { ask }) };
}
