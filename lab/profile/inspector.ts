import { once } from 'node:events';

const DEADLINE_MS = 30_000;

/** An answer of the DevTools protocol. A message without an id is an event. */
interface Answer<Result> {
  readonly id?: number;
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

/** The inspector of one Worker of a local runtime: V8's DevTools protocol. */
export class Inspector {
  readonly #socket: WebSocket;
  #asked = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await once(socket, 'open', { signal: AbortSignal.timeout(DEADLINE_MS) });
    return new Inspector(socket);
  }

  /** Calls a method of the protocol. Throws when it fails, or does not answer in time. */
  ask<Result>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Result | undefined> {
    this.#asked += 1;
    const [socket, id] = [this.#socket, this.#asked];
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(new Error(`${method}: no answer`)), DEADLINE_MS);
      const finish = (error?: Error, result?: Result) => {
        clearTimeout(timer);
        socket.removeEventListener('message', receive);
        socket.removeEventListener('close', end);
        if (error) reject(error);
        else resolve(result);
      };
      const end = () => finish(new Error(`${method}: the inspector hung up`));
      const receive = ({ data }: MessageEvent) => {
        const answer = JSON.parse(String(data)) as Answer<Result>;
        if (answer.id === id) finish(answer.error && new Error(`${method}: ${answer.error.message}`), answer.result);
      };
      socket.addEventListener('message', receive);
      socket.addEventListener('close', end);
      socket.send(JSON.stringify({ id, method, params }));
    });
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
