import { SourceError } from '../sources/source-error.ts';
import type { CircuitBreakers } from '../sources/circuit-breakers.ts';
import type { Vote } from '../ripe-price.ts';
import { logFault } from '../../platform/log.ts';
import { type Socket, StreamConnection } from './stream-connection.ts';
import type { StreamSource } from './stream-source.ts';

/** How long after each failure in a row it is tried again; from then on the breaker says. Each half as long or as long again. */
const BACKOFF_MS = [100, 500, 1_000, 2_000, 5_000] as const;

/** Venues end a socket, and KuCoin its token, after 24 hours. */
const RENEW_MS = 23 * 3_600_000;

/** A new socket that has given no book and no time by then is given up. */
const SPEAK_MS = 10_000;

/** A lost socket may come back: for so long no price is made without it. */
const LOST_MS = 5_000;

/** The one who listens to a socket: what it says, and that it has ended. */
export interface SocketListener {
  hear(text: string): void;
  end(): void;
}

/** What a stream needs from outside: the clock and chance are handed in. */
export interface StreamTools {
  now_ms(): number;
  random(): number;
  /** Opens a socket at the address that is found. Rejects with a `SourceError`. */
  connect(findUrl: (signal: AbortSignal) => Promise<string>, listener: SocketListener): Promise<Socket>;
  readonly breakers: CircuitBreakers;
  /** Is told when a book may have changed, and when a socket was lost. */
  hear(): void;
}

/** How a venue's stream stands, for the operator. */
export interface StreamState {
  readonly standing: 'open' | 'opening' | 'lost';
  /** How late its newest message with a time was, in milliseconds; `null` while that is not known. */
  readonly delay_ms: number | null;
  readonly silent_ms: number | null;
  readonly books: number;
  readonly reconnects: number;
}

/** A venue's books as it pushes them: opens its socket, again when it is lost, and a new one before the old one ends. */
export class VenueStream {
  readonly #source: StreamSource;
  readonly #base: string;
  readonly #symbols: readonly string[];
  readonly #tools: StreamTools;
  #current: StreamConnection | undefined;
  /** The one that replaces the current one once it has spoken. */
  #next: StreamConnection | undefined;
  /** Counts attempts, so that what an earlier one brings late is closed. */
  #attempt = 0;
  #isConnecting = false;
  #failures = 0;
  #retry_ms = -Infinity;
  #lost_ms = -Infinity;
  #isLeaving = false;
  #reconnects = 0;

  /** `symbols` are the venue's markets in the spelling of its other interface, by which `votes` is asked. */
  constructor(source: StreamSource, base: string, symbols: readonly string[], tools: StreamTools) {
    this.#source = source;
    this.#base = base;
    this.#symbols = symbols.map((symbol) => this.#spell(symbol));
    this.#tools = tools;
  }

  /** Whether it is open, or was lost so lately that it may come back. */
  isAlive(now_ms: number): boolean {
    return this.#current !== undefined || now_ms - this.#lost_ms < LOST_MS;
  }

  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /** Whether its socket nears its end. */
  isOld(now_ms: number): boolean {
    return this.#current !== undefined && (this.#isLeaving || now_ms - this.#current.opened_ms >= RENEW_MS);
  }

  get isRenewing(): boolean {
    return this.#current !== undefined && (this.#next !== undefined || this.#isConnecting);
  }

  /** The venue's vote for a market; none while its socket has not spoken. */
  voteOf(symbol: string): readonly Vote[] {
    const current = this.#current;
    const book = current?.books.get(this.#spell(symbol));
    if (!current || !book) return [];
    return [{ venue: this.#source.venue, ...book, vouched_ms: current.asOf_ms }];
  }

  state(now_ms: number): StreamState {
    const current = this.#current;
    return {
      standing: current ? 'open' : this.#isConnecting || this.#next ? 'opening' : 'lost',
      delay_ms: current?.clock.delay_ms ?? null,
      silent_ms: current ? now_ms - current.heard_ms : null,
      books: current?.books.size ?? 0,
      reconnects: this.#reconnects,
    };
  }

  /**
   * Does what is due: call it several times a second. `mayRenew` says whether an old socket may be replaced now, and
   * `isShort` that too few venues are heard, so that one is tried before its breaker says.
   */
  advance({ mayRenew, isShort }: { readonly mayRenew: boolean; readonly isShort: boolean }): void {
    const now_ms = this.#tools.now_ms();
    for (const connection of [this.#current, this.#next]) {
      try {
        connection?.advance(now_ms);
      } catch (error) {
        if (connection) this.#lose(connection, error);
      }
    }
    if (this.#next && now_ms - this.#next.opened_ms > SPEAK_MS) this.#lose(this.#next, new SourceError('gave no book'));
    const isNeeded = this.#current === undefined || (mayRenew && this.isOld(now_ms));
    if (!isNeeded || this.#next || this.#isConnecting || now_ms < this.#retry_ms) return;
    const standing = this.#tools.breakers.standingOf(this.#breaker, now_ms);
    if (standing === 'suspended' || (standing === 'probe_if_needed' && !isShort)) return;
    void this.#connect();
  }

  /** Closes what is open. It is opened again by `advance`. */
  close(): void {
    this.#attempt += 1;
    this.#isConnecting = false;
    this.#current?.close();
    this.#next?.close();
    this.#current = this.#next = undefined;
    this.#lost_ms = -Infinity;
  }

  async #connect(): Promise<void> {
    this.#isConnecting = true;
    this.#attempt += 1;
    const attempt = this.#attempt;
    const opened: { connection?: StreamConnection; early: string[]; hasEnded: boolean } = {
      early: [],
      hasEnded: false,
    };
    const listener: SocketListener = {
      hear: (text) => (opened.connection ? this.#take(opened.connection, text) : void opened.early.push(text)),
      end: () => {
        opened.hasEnded = true;
        if (opened.connection) this.#lose(opened.connection, new SourceError('ended the socket'));
      },
    };
    try {
      const socket = await this.#tools.connect((signal) => this.#findUrl(signal), listener);
      if (attempt !== this.#attempt) return socket.close(1_000);
      this.#isConnecting = false;
      const connection = new StreamConnection(this.#source, socket, this.#symbols, this.#tools.now_ms());
      opened.connection = this.#next = connection;
      for (const text of opened.early) this.#take(connection, text);
      if (opened.hasEnded) this.#lose(connection, new SourceError('ended the socket'));
    } catch (error) {
      if (attempt !== this.#attempt) return;
      this.#isConnecting = false;
      this.#fail(error);
    }
  }

  #take(connection: StreamConnection, text: string): void {
    if (connection !== this.#current && connection !== this.#next) return;
    try {
      for (const news of connection.take(text, this.#tools.now_ms())) {
        if (news.kind === 'leaving') this.#isLeaving = true;
        else logFault('stream_refused_market', { source: this.#breaker, symbol: news.symbol ?? 'all' });
      }
    } catch (error) {
      return this.#lose(connection, error);
    }
    if (connection === this.#next && connection.hasSpoken) {
      this.#current?.close();
      this.#current = connection;
      this.#next = undefined;
      this.#isLeaving = false;
      this.#failures = 0;
      this.#tools.breakers.recordAnswer(this.#breaker);
    }
    this.#tools.hear();
  }

  #lose(connection: StreamConnection, error: unknown): void {
    if (connection !== this.#current && connection !== this.#next) return;
    connection.close();
    if (connection === this.#current) {
      this.#current = undefined;
      this.#lost_ms = this.#tools.now_ms();
      this.#reconnects += 1;
    } else {
      this.#next = undefined;
    }
    this.#fail(error);
    this.#tools.hear();
  }

  #fail(error: unknown): void {
    const now_ms = this.#tools.now_ms();
    const wait_ms = BACKOFF_MS[this.#failures];
    this.#failures += 1;
    this.#retry_ms = now_ms + (wait_ms ?? BACKOFF_MS.at(-1) ?? 0) * (0.5 + this.#tools.random());
    const isTold = error instanceof SourceError && error.fault !== 'unavailable';
    if (wait_ms === undefined || isTold) this.#tools.breakers.recordFailure(this.#breaker, error, now_ms);
  }

  async #findUrl(signal: AbortSignal): Promise<string> {
    return (await this.#source.findUrl?.(this.#base, this.#symbols, signal)) ?? this.#base;
  }

  #spell(symbol: string): string {
    return this.#source.spell?.(symbol) ?? symbol;
  }

  get #breaker(): string {
    return `streams/${this.#source.venue}`;
  }
}
