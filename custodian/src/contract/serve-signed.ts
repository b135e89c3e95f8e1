import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import { type Log, describeError } from '../log.ts';
import { findRequestFault } from './verify-request.ts';

const MAX_BODY_BYTES = 4096;

/** A request that Bureau has signed. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface SignedAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface SignedSettings {
  /** Secrets by key id. There are two while a secret is rotated. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly log: Log;
  readonly now: () => number;
  readonly port: number;
  readonly host: string;
}

/** Serves requests that Bureau has signed, over plain HTTP. A proxy in front of it must add TLS. */
export async function serveSigned(
  settings: SignedSettings,
  answerSigned: (request: SignedRequest) => SignedAnswer | Promise<SignedAnswer>,
): Promise<Server> {
  const { log, port, host } = settings;
  const server = createServer((request, response) => {
    answer(settings, request, answerSigned).then(
      (answered) => say(response, answered),
      (error: unknown) => {
        // Bureau takes a 500 as unknown, which is right for every failure.
        log('request_failed', { error: describeError(error) });
        say(response, { status: 500, body: { error: 'internal' } });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

async function answer(
  { secrets, log, now }: SignedSettings,
  request: IncomingMessage,
  answerSigned: (request: SignedRequest) => SignedAnswer | Promise<SignedAnswer>,
): Promise<SignedAnswer> {
  const { method = '', url: path = '', headers } = request;
  const body = await readBody(request);
  if (!body) return { status: 413, body: { error: 'too large' } };
  const signed = { method, path, headers, body };
  const fault = findRequestFault(signed, secrets, Math.floor(now() / 1000));
  if (fault === undefined) return answerSigned(signed);
  log('request_refused', { fault });
  return { status: 401, body: { error: fault } };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}

function say(response: ServerResponse, { status, body }: SignedAnswer): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}
