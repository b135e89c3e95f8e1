import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that keeps what was sent to it, and answers as it is told. */
export class LoopbackReceiver {
  readonly #server: Server;
  readonly bodies: { readonly body: string; readonly headers: Record<string, string> }[] = [];
  readonly paths: string[] = [];

  private constructor(answer: Answer) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.paths.push(request.url ?? '');
        const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
        this.bodies.push({
          body: Buffer.concat(chunks).toString(),
          headers: Object.fromEntries(headers) as Record<string, string>,
        });
        answer(response, request);
      });
      response.on('error', () => undefined);
    });
  }

  static async start(answer: Answer): Promise<LoopbackReceiver> {
    const receiver = new LoopbackReceiver(answer);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
