import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A server on a free port of loopback that plays somebody outside the exchange. */
export interface PlayedServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Something said: a status and a body. */
export interface Saying {
  readonly status: number;
  readonly body: unknown;
}

export function say(response: ServerResponse, { status, body }: Saying): void {
  response.writeHead(status, { 'Content-Type': 'application/json;charset=UTF-8' }).end(JSON.stringify(body));
}

/** A web page, as a proxy may answer; JSON that is cut off; JSON of 5 MB; no answer ever; a connection that breaks. */
export type SayingFault = 'html' | 'truncated' | 'huge' | 'hang' | 'reset';

/** Gives an answer with a fault in it. */
export function sayWrongly(response: ServerResponse, fault: SayingFault, { status, body }: Saying, page = 200): void {
  if (fault === 'hang') return;
  if (fault === 'reset') return void response.destroy();
  if (fault === 'html') {
    response.writeHead(page, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><title>Just a moment...</title>');
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(fault === 'huge' ? text.padEnd(5_000_000, ' ') : text.slice(0, -3));
}

/** Starts a server on loopback. When `serve` throws, the connection breaks. `upgrade` takes those that ask for a socket. */
export async function serveOnLoopback(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  upgrade?: (request: IncomingMessage, connection: Duplex) => void,
): Promise<PlayedServer> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  if (upgrade) server.on('upgrade', upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
