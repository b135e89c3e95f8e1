import { DurableObject } from 'cloudflare:workers';
import type { z } from '@hono/zod-openapi';
import {
  type Outcome,
  type Refusal,
  accept,
  answerProblem,
  overloaded,
  refuse,
  refuseFields,
  toResponse,
} from '../http/answer.ts';
import { describeFieldErrors } from '../http/field-errors.ts';
import { statusOf } from '../http/problems.ts';
import { parseBody } from '../http/request.ts';
import type { Admission } from '../keys/record.ts';
import { laneOf } from '../lane/key-lane.ts';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type Closing, PING, PONG, type ServerMessage, closings } from './messages.ts';

/** How many messages a client may send at once, and one more each second: sixty a minute. */
const MESSAGES = 60;
const PAUSE_MS = 1_000;

/** The longest message of a client, in characters. */
const MAX_LENGTH = 4_096;

export interface StreamSettings {
  readonly socketsPerKey: number;
  readonly socketsPerAddress: number;
}

/** What the edge tells a stream's object of the socket that it hands on. */
export interface Opening {
  /** The name of the object: the account's id, or the name of the shard. */
  readonly name: string;
  /** The key, where one was sent. */
  readonly key: Admission | null;
  /** The name under which the caller's address is counted. */
  readonly address: string;
  readonly requestId: string;
  readonly origin: string;
  readonly path: string;
}

/** The header in which the edge does so. A client's own is not passed on. */
export const OPENING = 'X-Stream-Opening';

/** All that is known of a socket. It is kept by the platform while the object sleeps: 2 KB at most. */
interface Attachment<State> extends Opening {
  readonly state: State;
  /** How many messages the client may send now, as of then. */
  readonly messages: { readonly left: number; readonly at_ms: number };
}

/**
 * An object with sockets that sleep: what it knows of each is in the socket's attachment, and while nothing is sent it has
 * neither a timer nor memory.
 */
export abstract class StreamObject<State, Command> extends DurableObject<Bindings> {
  readonly #settings: StreamSettings;
  readonly #command: z.ZodType<Command>;
  readonly #begin: State;

  constructor(
    ctx: DurableObjectState,
    env: Bindings,
    settings: StreamSettings,
    { command, begin }: { readonly command: z.ZodType<Command>; readonly begin: State },
  ) {
    super(ctx, env);
    this.#settings = settings;
    this.#command = command;
    this.#begin = begin;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Does what a client wants. Throws when D1 or another object fails. */
  protected abstract obey(socket: WebSocket, command: Command): Promise<void>;

  /** Opens a socket. Refuses with `rate_limited` when its key or its address has too many. */
  override fetch(request: Request): Response {
    const opening = JSON.parse(request.headers.get(OPENING) ?? '') as Opening;
    const tags = [...(opening.key ? [`key ${opening.key.keyId}`] : []), `address ${opening.address}`];
    const { socketsPerKey, socketsPerAddress } = this.#settings;
    const isFull = tags.some((tag) => {
      const most = tag.startsWith('key ') ? socketsPerKey : socketsPerAddress;
      return this.ctx.getWebSockets(tag).filter(isOpen).length >= most;
    });
    if (isFull) return toResponse(answerProblem(tooManySockets, factsOf(opening)));
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, tags);
    this.#attach(server, { ...opening, state: this.#begin, messages: { left: MESSAGES, at_ms: Date.now() } });
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    if (!this.#countMessage(socket)) {
      this.refuse(socket, tooManyMessages);
      return this.close(socket, 'tooMany');
    }
    const command = this.#parse(message);
    if (!command.ok) return this.refuse(socket, command, readRequestId(message));
    try {
      await this.obey(socket, command.value);
    } catch (error) {
      logFault('stream_failed', { error: describeError(error) });
      this.refuse(socket, overloaded, readRequestId(message));
      this.close(socket, 'failed');
    }
  }

  /** Answers a client that closes its socket, which would wait for it. */
  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  /** The open sockets. */
  protected sockets(): WebSocket[] {
    return this.ctx.getWebSockets().filter(isOpen);
  }

  protected attachment(socket: WebSocket): Attachment<State> {
    return socket.deserializeAttachment() as Attachment<State>;
  }

  protected keepState(socket: WebSocket, state: State): void {
    this.#attach(socket, { ...this.attachment(socket), state });
  }

  /**
   * Counts a subscription as a read of the socket's key, where it has one. Returns whether it may go on; if not, the
   * client was told why.
   */
  protected async countRead(socket: WebSocket, reqId: number | undefined): Promise<boolean> {
    const { key } = this.attachment(socket);
    if (!key) return true;
    const { outcome } = await laneOf(this.env, key.keyId).admit({ admission: key, bucket: 'read' });
    if (outcome.ok) return true;
    this.refuse(socket, outcome, reqId);
    if (statusOf(outcome.code) === 401) this.close(socket, 'keyEnded');
    return false;
  }

  /** Sends a message, and returns its length in bytes. To a socket that is closing it sends nothing. */
  protected send(socket: WebSocket, message: ServerMessage): number {
    const text = JSON.stringify(message);
    if (isOpen(socket)) socket.send(text);
    return text.length;
  }

  protected refuse(socket: WebSocket, refusal: Refusal, reqId?: number): void {
    const { body } = answerProblem(refusal, factsOf(this.attachment(socket)));
    const problem = JSON.parse(body) as Extract<ServerMessage, { type: 'problem' }>['problem'];
    this.send(socket, { type: 'problem', ...(reqId !== undefined && { reqId }), problem });
  }

  protected close(socket: WebSocket, why: Closing): void {
    const [code, reason] = closings[why];
    if (isOpen(socket)) socket.close(code, reason);
  }

  #parse(message: string | ArrayBuffer): Outcome<Command> {
    if (typeof message !== 'string') return notText;
    if (message.length > MAX_LENGTH) return tooLong;
    const body = parseBody(message);
    if (!body.ok) return body;
    const parsed = this.#command.safeParse(body.value);
    if (parsed.success) return accept(parsed.data);
    return refuseFields(describeFieldErrors(parsed.error, { target: 'json', data: body.value }));
  }

  /** Counts a message of the client, and returns whether it is within its limit. */
  #countMessage(socket: WebSocket): boolean {
    const attachment = this.attachment(socket);
    const { left, at_ms } = attachment.messages;
    const now_ms = Date.now();
    const present = Math.min(MESSAGES, left + Math.max(0, now_ms - at_ms) / PAUSE_MS);
    if (present < 1) return false;
    this.#attach(socket, { ...attachment, messages: { left: present - 1, at_ms: now_ms } });
    return true;
  }

  #attach(socket: WebSocket, attachment: Attachment<State>): void {
    socket.serializeAttachment(attachment);
  }
}

function isOpen({ readyState }: WebSocket): boolean {
  return readyState === WebSocket.OPEN;
}

/** The number that a client gave its message, also where the message is not valid. */
function readRequestId(message: string | ArrayBuffer): number | undefined {
  const body = typeof message === 'string' ? parseBody(message) : undefined;
  const { reqId } = (body?.ok ? body.value : {}) as { readonly reqId?: unknown };
  return Number.isSafeInteger(reqId) ? (reqId as number) : undefined;
}

function factsOf({ requestId, origin, path }: Opening) {
  return { requestId, url: `${origin}${path}`, path };
}

const tooManySockets = refuse('rate_limited', 'Too many sockets of this key or address are open.', {
  retryAfterSeconds: 60,
});

const tooManyMessages = refuse('rate_limited', 'A socket takes 60 messages a minute.', { retryAfterSeconds: 1 });

const notText = refuse('invalid_request', 'A message is JSON, as text.');

const tooLong = refuse('payload_too_large', `A message has at most ${MAX_LENGTH} characters.`);
