import type { Clock } from './clock.ts';
import { BureauError } from './errors.ts';
import type { Balance, Event, ExchangeStatus, Problem, Ticker } from './operations.ts';

/** Events of the account, each once and without a gap, and balances as of `sequence`. */
export interface EventsMessage {
  readonly channel: 'events';
  readonly type: 'snapshot' | 'update';
  /** The number up to which everything has come. Store it once you have dealt with the message, and begin `after` it. */
  readonly sequence: number;
  /** In a snapshot: where it ends. */
  readonly newest?: number;
  readonly data: readonly Event[];
  /** All balances at the end of a snapshot, then those that changed. */
  readonly balances?: readonly Balance[];
}

export interface TickersMessage {
  readonly channel: 'tickers';
  readonly type: 'snapshot' | 'update';
  readonly round: number;
  readonly degraded: boolean;
  readonly data: readonly Ticker[];
}

export interface StatusMessage {
  readonly channel: 'status';
  readonly type: 'snapshot' | 'update';
  readonly data: ExchangeStatus;
}

interface Messages {
  readonly events: EventsMessage;
  readonly tickers: TickersMessage;
  readonly status: StatusMessage;
}

/** What to listen to. */
export interface Subscription<Channel extends keyof Messages = keyof Messages> {
  readonly channel: Channel;
  /** Of events: the number of the last one that you have dealt with; what happens from now on without it. */
  readonly after?: number;
  /** Of tickers: base symbols; all without it. */
  readonly symbols?: readonly string[];
}

export type MessageOf<Channel extends keyof Messages> = Messages[Channel];

/** The part of a WebSocket that the client uses. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: object) => void): void;
}

/** Opens a WebSocket. The headers hold the key; a browser cannot send them. */
export type OpenSocket = (url: string, headers: Readonly<Record<string, string>>) => Socket;

/** What a stream works with. */
export interface StreamMeans {
  readonly openSocket: () => Socket;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
  /** The refusal of the socket, if it is for good: a socket that does not open does not say why. Never rejects. */
  readonly askWhy: () => Promise<BureauError | undefined>;
}

/** An acknowledgement is sent this often at most: a socket takes 60 messages a minute. */
const TICK_MS = 1_100;

/** Every so many ticks a ping is sent; a socket that says nothing for twice as long is dead. */
const PING_TICKS = 25;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

const KEY_ENDED = 4401;

/**
 * Follows a channel without an end: when its socket is cut or silent, it connects again, and events go on after the last
 * one that came. Rejects with a `BureauError` when the exchange refuses for good, and with the reason of the signal.
 */
export async function* followStream<Channel extends keyof Messages>(
  subscription: Subscription<Channel>,
  means: StreamMeans,
): AsyncGenerator<MessageOf<Channel>, void, undefined> {
  const { clock, random, signal } = means;
  let { after } = subscription;
  for (let failures = 0; ; failures += 1) {
    signal?.throwIfAborted();
    const connected = new Connected(means, { ...subscription, ...(after !== undefined && { after }) });
    try {
      for (let message = await connected.next(); message; message = await connected.next()) {
        if (message.channel !== subscription.channel) continue;
        if (message.channel === 'events') {
          // A message that does not go on where the last one ended would leave something out, or tell it twice.
          if (after !== undefined && message.sequence - message.data.length !== after) break;
          after = message.sequence;
        }
        failures = 0;
        yield message as MessageOf<Channel>;
        if (message.channel === 'events') connected.acknowledge(message.sequence);
      }
    } finally {
      connected.close();
    }
    signal?.throwIfAborted();
    const refusal = connected.refusal ?? (connected.wasOpen ? undefined : await means.askWhy());
    if (refusal) throw refusal;
    await clock.sleep(random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures, 10)), signal);
  }
}

/** One socket: what came over it waits here until it is wanted. */
class Connected {
  wasOpen = false;
  /** Why the exchange does not go on, where another socket would be told the same. */
  refusal: BureauError | undefined;
  readonly #socket: Socket;
  readonly #signal: AbortSignal | undefined;
  readonly #came: Messages[keyof Messages][] = [];
  readonly #ended = new AbortController();
  #wake: () => void = () => undefined;
  #acknowledged = 0;
  #toAcknowledge = 0;
  #silentTicks = 0;

  constructor({ openSocket, clock, signal }: StreamMeans, { channel, after, symbols }: Subscription) {
    this.#signal = signal;
    this.#socket = openSocket();
    const params = { channel, ...(after !== undefined && { after }), ...(symbols && { symbols }) };
    this.#socket.addEventListener('open', () => {
      this.wasOpen = true;
      this.#send({ method: 'subscribe', params });
    });
    this.#socket.addEventListener('message', (event) => this.#take(String((event as { data?: unknown }).data)));
    this.#socket.addEventListener('error', () => this.close());
    this.#socket.addEventListener('close', (event) => {
      // Its problem came before; without one the next socket is refused with it.
      if ((event as { code?: number }).code === KEY_ENDED) this.wasOpen = false;
      this.close();
    });
    signal?.addEventListener('abort', () => this.close(), { once: true, signal: this.#ended.signal });
    void this.#tick(clock);
  }

  /** The next message; `undefined` when the socket has ended and all that came was taken. */
  async next(): Promise<Messages[keyof Messages] | undefined> {
    while (this.#came.length === 0 && !this.#ended.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#signal?.throwIfAborted();
    return this.#came.shift();
  }

  acknowledge(sequence: number): void {
    this.#toAcknowledge = sequence;
  }

  close(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#wake();
    try {
      this.#socket.close();
    } catch {
      // It never opened.
    }
  }

  #take(text: string): void {
    if (this.#ended.signal.aborted) return;
    this.#silentTicks = 0;
    const message = JSON.parse(text) as { type: string; channel?: string; problem?: Problem };
    if (message.problem) {
      const { retryable, status } = message.problem;
      if (!retryable && status !== 401) this.refusal = new BureauError(message.problem, { attempts: 1 });
      this.close();
    }
    if (message.channel === undefined) return;
    this.#came.push(message as unknown as Messages[keyof Messages]);
    this.#wake();
  }

  #send(message: object): void {
    try {
      this.#socket.send(JSON.stringify(message));
    } catch {
      this.close();
    }
  }

  async #tick(clock: Clock): Promise<void> {
    const { signal } = this.#ended;
    for (let ticks = 1; !signal.aborted; ticks += 1) {
      try {
        await clock.sleep(TICK_MS, signal);
      } catch {
        return;
      }
      this.#silentTicks += 1;
      if (this.#silentTicks > 2 * PING_TICKS) return this.close();
      if (!this.wasOpen) continue;
      if (this.#toAcknowledge > this.#acknowledged) {
        this.#acknowledged = this.#toAcknowledge;
        this.#send({ method: 'ack', params: { sequence: this.#acknowledged } });
      } else if (ticks % PING_TICKS === 0) this.#send({ method: 'ping' });
    }
  }
}
