import type { V4WorkerOptionsShape } from 'miniflare';
import { bindingOf } from '../../../../src/db/record-id.ts';

/** The name of the Worker that runs next to the exchange and reads its database. */
export const PROBE = 'probe';

/** What a probe sends to D1: a statement and its values. */
export interface ProbeStatement {
  readonly sql: string;
  readonly values?: readonly (string | number | null)[];
}

const SCRIPT = `export default {
  async fetch(request, bindings) {
    try {
      const { pathname } = new URL(request.url);
      if (pathname === '/schedule') {
        await bindings.EXCHANGE.scheduled({ scheduledTime: new Date(), cron: '* * * * *' });
        return Response.json([]);
      }
      const database = bindings[pathname.slice('/batch/'.length)];
      const statements = await request.json();
      const results = await database.batch(
        statements.map(({ sql, values = [] }) => database.prepare(sql).bind(...values)),
      );
      return Response.json(results.map(({ results }) => results));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};`;

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
 * Reads the databases of an exchange and runs its cron handler, over HTTP. Miniflare's own handles can do both, but they
 * block Node, which then reads nothing of the runtime's log. A runtime with much to log waits for its log to be read,
 * and both would wait for ever.
 */
export class Probe {
  /** Its address, for a Probe in another process. */
  readonly url: string;
  readonly #ledgers: readonly number[];

  constructor(url: string, ledgers = 1) {
    this.url = url;
    this.#ledgers = Array.from({ length: ledgers }, (_, ledger) => ledger);
  }

  async batch(statements: readonly ProbeStatement[], ledger = 0): Promise<Record<string, unknown>[][]> {
    return this.#post(`/batch/${bindingOf(ledger)}`, statements);
  }

  async query<Row>(sql: string, ledger = 0): Promise<Row[]> {
    const [rows = []] = await this.batch([{ sql }], ledger);
    return rows as Row[];
  }

  async queryAll<Row>(sql: string): Promise<Row[]> {
    return (await Promise.all(this.#ledgers.map((ledger) => this.query<Row>(sql, ledger)))).flat();
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
