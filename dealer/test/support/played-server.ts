import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PlayedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface PlayedAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What goes wrong with a request. `instead` answers without executing; `lost` breaks the connection, before or after the
 * execution; `late` breaks it and executes when `releaseLate` is called; `after` executes and answers something else.
 */
export type Fault =
  | { readonly kind: 'instead' | 'after'; readonly answer: PlayedAnswer }
  | { readonly kind: 'lost request' | 'lost answer' | 'late' };

/** A venue on loopback, with faults. */
export interface PlayedServer {
  readonly url: string;
  /** Every request that has arrived. */
  readonly requests: PlayedRequest[];
  /** Decides what goes wrong with a request; nothing by default. */
  fault: (request: PlayedRequest) => Fault | undefined;
  /** Called when a request has arrived, and before its answer is written. */
  onRequest: (request: PlayedRequest) => void;
  onAnswer: (request: PlayedRequest) => void;
  /** Executes what was late. */
  releaseLate(): Promise<void>;
  stop(): Promise<void>;
}

/** Bigints are written as JSON numbers. */
export function writeJson(value: unknown): string {
  const marked = JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `#bigint:${one}#` : one));
  return marked.replaceAll(/"#bigint:(\d+)#"/g, '$1');
}

export const json = (status: number, body: unknown): PlayedAnswer => ({ status, body: writeJson(body) });

export const html = (status: number): PlayedAnswer => ({ status, body: `<html><h1>${status}</h1></html>` });

/** Serves a venue. */
export async function serveVenue(
  answer: (request: PlayedRequest) => PlayedAnswer | Promise<PlayedAnswer>,
): Promise<PlayedServer> {
  const late: PlayedRequest[] = [];
  const server: Server = createServer((incoming, response) => {
    void text(incoming).then(async (body) => {
      const { pathname, search } = new URL(incoming.url ?? '/', 'http://venue');
      const { method = '', headers } = incoming;
      const request = { method, path: pathname, query: search.slice(1), headers, body };
      played.requests.push(request);
      played.onRequest(request);
      const fault = played.fault(request);
      if (fault?.kind === 'late') late.push(request);
      if (fault?.kind === 'late' || fault?.kind === 'lost request') return void response.destroy();
      const said = fault?.kind === 'instead' ? fault.answer : await answer(request);
      played.onAnswer(request);
      if (fault?.kind === 'lost answer') return void response.destroy();
      const written = fault?.kind === 'after' ? fault.answer : said;
      response.writeHead(written.status, { 'Content-Type': 'application/json', ...written.headers });
      return void response.end(written.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const played: PlayedServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fault: () => undefined,
    onRequest: () => undefined,
    onAnswer: () => undefined,
    releaseLate: async () => {
      for (const request of late.splice(0)) await answer(request);
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return played;
}
