import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of loopback that plays somebody outside the exchange. */
export interface PlayedServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server on loopback. When `serve` throws, the connection breaks. */
export async function serveOnLoopback(
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<PlayedServer> {
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
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
