import type { V4WorkerOptionsShape } from 'miniflare';

/** The name of the Worker beside the exchange that looks into its database. */
export const PROBE = 'probe';

/** What a probe sends to D1: a statement and its values. */
export interface ProbeStatement {
  readonly sql: string;
  readonly values?: readonly (string | number | null)[];
}

const SCRIPT = `export default {
  async fetch(request, { DB, EXCHANGE }) {
    try {
      if (new URL(request.url).pathname === '/schedule') {
        await EXCHANGE.scheduled({ scheduledTime: new Date(), cron: '* * * * *' });
        return Response.json([]);
      }
      const statements = await request.json();
      const results = await DB.batch(statements.map(({ sql, values = [] }) => DB.prepare(sql).bind(...values)));
      return Response.json(results.map(({ results }) => results));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};`;

/** The probe's own Worker: it has the database of the exchange, and the handler of the schedule. */
export function describeProbe(exchange: string, { d1Databases, compatibilityDate }: V4WorkerOptionsShape) {
  return {
    name: PROBE,
    modules: [{ type: 'ESModule' as const, path: 'probe.js', contents: SCRIPT }],
    compatibilityFlags: ['service_binding_extra_handlers'],
    serviceBindings: { EXCHANGE: exchange },
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    ...(compatibilityDate !== undefined && { compatibilityDate }),
    ...(d1Databases !== undefined && { d1Databases }),
  };
}

/**
 * Looks into the database of an exchange, and does what cron does, over HTTP. Miniflare's own handles do both too, but
 * Node waits for them with its eyes shut: it reads nothing of what the runtime logs, and a runtime that has much to log
 * waits for Node to read, and neither goes on.
 */
export class Probe {
  /** Where it answers, for a Probe in another process. */
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Runs statements in one transaction, and gives the rows of each. */
  async batch(statements: readonly ProbeStatement[]): Promise<Record<string, unknown>[][]> {
    return this.#post('/batch', statements);
  }

  /** The rows of one statement. */
  async query<Row>(sql: string): Promise<Row[]> {
    const [rows = []] = await this.batch([{ sql }]);
    return rows as Row[];
  }

  /** Runs the handler that cron runs every minute. */
  async schedule(): Promise<void> {
    await this.#post('/schedule', []);
  }

  async #post(path: string, body: unknown): Promise<Record<string, unknown>[][]> {
    const response = await fetch(`${this.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`the probe's ${path}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>[][];
  }
}
