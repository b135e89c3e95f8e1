import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type PlayedServer, serveOnLoopback } from '../run/serve-on-loopback.ts';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that keeps what was sent to it, and answers as it is told. */
export class LoopbackReceiver {
  #server: PlayedServer | undefined;
  readonly bodies: { readonly body: string; readonly headers: Record<string, string> }[] = [];
  readonly paths: string[] = [];

  static async start(answer: Answer): Promise<LoopbackReceiver> {
    const receiver = new LoopbackReceiver();
    receiver.#server = await serveOnLoopback(async (request, response) => {
      response.on('error', () => undefined);
      const body = await text(request);
      receiver.paths.push(request.url ?? '');
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      receiver.bodies.push({ body, headers: Object.fromEntries(headers) as Record<string, string> });
      answer(response, request);
    });
    return receiver;
  }

  get url(): string {
    return `${this.#server?.url}/hooks`;
  }

  stop(): void {
    void this.#server?.stop();
  }
}
