import { type Server, createServer } from 'node:http';
import type { Log } from './log.ts';
import type { ServedNetwork } from './networks.ts';
import type { ChainProgress } from './nodes/follow.ts';
import { readFinalHeight, readHalt, readHead } from './store/chain-state.ts';
import type { Database } from './store/database.ts';

/** Counts the events that are logged. */
export class EventCounts {
  readonly #counts = new Map<string, number>();

  /** Returns a log that counts each event and passes it to `log`. */
  wrap(log: Log): Log {
    return (event, fields) => {
      this.#counts.set(event, (this.#counts.get(event) ?? 0) + 1);
      log(event, fields);
    };
  }

  list(): [string, number][] {
    return [...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
  }
}

/** Lines of Prometheus' text format, whose names begin with the service's. */
export function openMetrics(service: string) {
  const lines: string[] = [];
  const add = (name: string, labels: Readonly<Record<string, string>>, value: number) => {
    const text = Object.entries(labels).map(([label, content]) => `${label}="${content}"`);
    lines.push(`${service}_${name}{${text.join(',')}} ${value}`);
  };
  return { lines, add };
}

/** A network, and what the last look at it saw. */
interface Watched {
  readonly chain: { readonly network: ServedNetwork };
  readonly seen: ChainProgress | undefined;
}

/** What the metrics are computed from. */
export interface MetricsParts {
  readonly database: Database;
  readonly branches: readonly Watched[];
  readonly counts: EventCounts;
  readonly now: () => number;
}

/** The metrics in Prometheus' text format: gauges from the database, and a count of each event since the start. */
export function writeMetrics({ database, branches, counts, now }: MetricsParts): string {
  const { lines, add } = openMetrics('custodian');
  for (const { chain, seen } of branches) {
    const { network } = chain;
    add('head_height', { network }, readHead(database, network)?.height ?? -1);
    add('final_height', { network }, readFinalHeight(database, network));
    if (seen) {
      add('blocks_behind', { network }, Math.max(0, seen.tipHeight - seen.height));
      add('tip_age_seconds', { network }, Math.max(0, Math.round((now() - seen.tipMined_ms) / 1000)));
    }
    add('halted', { network }, readHalt(database, network) === null ? 0 : 1);
    const waiting = 'SELECT COUNT(*) AS count FROM deposits WHERE network = ? AND settled IS NULL';
    add('deposits_open', { network }, Number(database.one(waiting, network)?.['count']));
  }
  const open = database.all(
    `SELECT network, purpose, state, COUNT(*) AS count, MIN(accepted_at_ms) AS oldest FROM spends
     WHERE state NOT IN ('FINAL_PAID', 'REFUSED') GROUP BY network, purpose, state ORDER BY network, purpose, state`,
  );
  for (const row of open) {
    const labels = { network: String(row['network']), purpose: String(row['purpose']), state: String(row['state']) };
    add('spends_open', labels, Number(row['count']));
    add('spends_open_oldest_seconds', labels, Math.max(0, Math.round((now() - Number(row['oldest'])) / 1000)));
  }
  for (const [event, count] of counts.list()) add('events_total', { event }, count);
  return `${lines.join('\n')}\n`;
}

/** Serves the metrics on loopback, on a port of their own, so that only the operator can read them. */
export async function serveMetrics(write: () => string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' }).end(write());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
