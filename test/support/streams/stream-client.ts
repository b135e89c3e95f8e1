import { expect } from 'vitest';
import type { Event } from '../../../src/events/event.ts';
import type { ServerMessage } from '../../../src/streams/messages.ts';
import { ORIGIN, type Trader } from '../exchange.ts';
import { worker } from '../runtime/test-env.ts';
import { waitFor } from '../wait-for.ts';
import { expectMessage } from './documented-message.ts';

export const ACCOUNT_STREAM = '/api/v1/account/stream';
export const MARKET_STREAM = '/api/v1/stream';

/** A message as a test reads it: any member of any message. */
export interface Message {
  readonly channel?: string;
  readonly type: string;
  readonly reqId?: number;
  readonly sequence?: number;
  readonly newest?: number;
  readonly round?: number;
  readonly degraded?: boolean;
  readonly data?: readonly (Event & {
    readonly symbol: string;
    readonly price: string;
    readonly trading: string;
  })[];
  readonly balances?: readonly { readonly asset: string; readonly amount: string }[];
  readonly problem?: { readonly code: string; readonly errors?: readonly { readonly pointer: string }[] };
}

export function upgrade(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return worker.fetch(new Request(`${ORIGIN}${path}`, { headers: { Upgrade: 'websocket', ...headers } }));
}

function until(isReached: () => boolean): Promise<void> {
  return waitFor(() => {
    if (!isReached()) throw new Error('nothing came');
  });
}

/** A socket of a stream, which keeps what it was sent. Every message is checked against the AsyncAPI document. */
export class StreamClient {
  readonly messages: Message[] = [];
  readonly events: Event[] = [];
  readonly socket: WebSocket;
  closed: { readonly code: number; readonly reason: string } | undefined;
  #read = 0;
  #taken = 0;

  constructor(socket: WebSocket, path: string) {
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as ServerMessage;
      expectMessage(path, message);
      this.messages.push(message as unknown as Message);
      if ('channel' in message && message.channel === 'events') this.events.push(...(message.data as Event[]));
    });
    socket.addEventListener('close', ({ code, reason }) => {
      this.closed = { code, reason };
    });
    socket.accept();
  }

  static async open(path: string, headers: Record<string, string> = {}): Promise<StreamClient> {
    const { status, webSocket } = await upgrade(path, headers);
    expect(status).toBe(101);
    if (!webSocket) throw new Error('no socket was opened');
    return new StreamClient(webSocket, path);
  }

  static of(trader: Trader, headers: Record<string, string> = {}): Promise<StreamClient> {
    return StreamClient.open(ACCOUNT_STREAM, { Authorization: `Bearer ${trader.token}`, ...headers });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Subscribes to the events after a number, and returns the first message. */
  async listen(after?: number): Promise<Message> {
    this.send({ method: 'subscribe', params: { channel: 'events', ...(after !== undefined && { after }) }, reqId: 1 });
    return this.next();
  }

  async next(): Promise<Message> {
    await until(() => this.messages.length > this.#read || this.closed !== undefined);
    const message = this.messages[this.#read];
    if (!message) throw new Error(`closed: ${JSON.stringify(this.closed)}`);
    this.#read += 1;
    return message;
  }

  takeEvents(): Event[] {
    const events = this.events.slice(this.#taken);
    this.#taken += events.length;
    return events;
  }

  /** Resolves when all has come that the exchange has sent so far, or the socket has ended. */
  async fence(): Promise<void> {
    const before = this.#pongs();
    if (!this.closed) this.send('{"method":"ping"}');
    await until(() => this.closed !== undefined || this.#pongs() > before);
  }

  #pongs(): number {
    return this.messages.filter(({ type }) => type === 'pong').length;
  }

  /** Resolves when the exchange has closed the socket, with its code. */
  async end(): Promise<number | undefined> {
    await until(() => this.closed !== undefined);
    return this.closed?.code;
  }
}
