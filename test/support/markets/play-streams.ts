import type { SourceError } from '../../../src/markets/sources/source-error.ts';
import { CircuitBreakers } from '../../../src/markets/sources/circuit-breakers.ts';
import { PriceStreams, type StreamPlace } from '../../../src/markets/streams/price-streams.ts';
import type { SocketListener, StreamTools } from '../../../src/markets/streams/venue-stream.ts';

export class PlayedSocket {
  readonly sent: string[] = [];
  readonly url: string;
  readonly #listener: SocketListener;
  isOpen = true;

  constructor(url: string, listener: SocketListener) {
    this.url = url;
    this.#listener = listener;
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.isOpen = false;
  }

  say(message: unknown): void {
    this.#listener.hear(typeof message === 'string' ? message : JSON.stringify(message));
  }

  cut(): void {
    this.isOpen = false;
    this.#listener.end();
  }
}

/** Streams in virtual time, whose sockets a test plays. */
export class PlayedStreams {
  now_ms = 1_800_000_000_000;
  readonly sockets: PlayedSocket[] = [];
  readonly breakers = new CircuitBreakers({}, () => undefined);
  readonly streams: PriceStreams;
  heard = 0;
  /** What opening a socket is refused with; nothing while it works. */
  refusal: SourceError | undefined;
  tries = 0;

  constructor(places: readonly StreamPlace[]) {
    const tools: StreamTools = {
      now_ms: () => this.now_ms,
      random: () => 0.5,
      breakers: this.breakers,
      hear: () => void (this.heard += 1),
      connect: async (findUrl, listener) => {
        this.tries += 1;
        if (this.refusal) throw this.refusal;
        const socket = new PlayedSocket(await findUrl(new AbortController().signal), listener);
        this.sockets.push(socket);
        return socket;
      },
    };
    this.streams = new PriceStreams(places, tools);
  }

  /** The open sockets, the oldest first. */
  get open(): readonly PlayedSocket[] {
    return this.sockets.filter(({ isOpen }) => isOpen);
  }

  /** Lets time pass in steps; `act` plays the venues at each. */
  async pass(ms: number, act: () => void = () => undefined, step_ms = 250): Promise<void> {
    for (const end_ms = this.now_ms + ms; this.now_ms < end_ms;) {
      this.now_ms += Math.min(step_ms, end_ms - this.now_ms);
      act();
      this.streams.advance();
      // Opening a socket takes some turns.
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
  }
}
