import { Client } from 'undici';

export interface LoadRequest {
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly origin: string;
  /** The expected status of every answer. Another status fails the benchmark. */
  readonly status: number;
  next(connection: number): LoadRequest;
}

/** Connections that stay open between measurements. Each sends its next request when the last one was answered. */
export class Connections {
  readonly #clients: readonly Client[];

  constructor(origin: string, count: number) {
    this.#clients = Array.from({ length: count }, () => new Client(origin, { pipelining: 1 }));
  }

  /** Sends a load for a time and returns the answers per second. Throws on an answer with another status. */
  async measure(load: Load, duration_ms: number): Promise<number> {
    const begun_ms = performance.now();
    const end_ms = begun_ms + duration_ms;
    const answered = await Promise.all(
      this.#clients.map(async (client, connection) => {
        let answers = 0;
        while (performance.now() < end_ms) {
          await send(client, load, load.next(connection));
          answers += 1;
        }
        return answers;
      }),
    );
    const total = answered.reduce((sum, answers) => sum + answers, 0);
    return (total / (performance.now() - begun_ms)) * 1_000;
  }

  /** Sends one request of a load. Throws on an answer with another status. */
  async sendOne(load: Load): Promise<void> {
    const [client] = this.#clients;
    if (client) await send(client, load, load.next(0));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}

async function send(client: Client, load: Load, { path, method = 'GET', headers, body }: LoadRequest): Promise<void> {
  const answer = await client.request({ path, method, headers: headers ?? null, body: body ?? null });
  if (answer.statusCode === load.status) return answer.body.dump({ limit: 1_048_576 });
  throw new Error(`${method} ${path}: ${answer.statusCode} ${await answer.body.text()}`);
}
