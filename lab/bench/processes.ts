import { join } from 'node:path';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import type { Spread } from '../spread.ts';
import type { Load } from './load.ts';
import { type RoundOptions, measureRounds, spreadOf } from './rounds.ts';
import { buildExchange, openTraders } from './start-runtime.ts';
import { loadOrders } from './subjects.ts';

/** The throughput of orders at one number of connections to each ledger, in answers per second. */
export interface ProcessesMeasurement {
  readonly connections: number;
  /** One ledger in a process of its own. */
  readonly alone: Spread;
  /** Ledgers in as many processes, and their sum divided by `alone`, round by round. */
  readonly apart: Spread;
  readonly apartRatio: Spread;
  /** As many ledgers in one process, and their sum divided by `alone`. */
  readonly together: Spread;
  readonly togetherRatio: Spread;
}

/**
 * Compares the throughput of orders to one ledger with that to several, each in a runtime of its own or all in one. On
 * the platform each ledger has a database, a gate and lanes of its own, which run on whichever machines they are
 * placed; a local runtime is one process with one thread for all of them. A runtime of its own is an exchange of one
 * ledger. All are started before the first round and measured in turn.
 */
export async function measureProcesses(
  directory: string,
  processes: number,
  options: RoundOptions,
): Promise<ProcessesMeasurement[]> {
  const built = await buildExchange(directory);
  const served: ServedExchange[] = [];
  const serve = async (name: string, ledgers: number): Promise<Load[]> => {
    const { bundle, entry } = built;
    const storage = join(directory, name);
    const exchange = await startServedExchange({ bundle, entry, storage, ledgers, site: false }, false);
    served.push(exchange);
    return openLoads(exchange.url, ledgers, Math.max(...options.connections));
  };
  try {
    const apart: Load[] = [];
    for (let process = 1; process <= processes; process += 1) apart.push(...(await serve(`process-${process}`, 1)));
    const together = await serve('together', processes);
    const sides = { alone: apart.slice(0, 1), apart, together };
    const comparisons = await measureRounds(['alone', 'apart', 'together'], [sides], options);
    return comparisons.map((comparison) => ({
      connections: comparison.connections,
      alone: spreadOf(comparison, 'alone'),
      apart: spreadOf(comparison, 'apart'),
      apartRatio: spreadOf(comparison, 'apart', 'alone'),
      together: spreadOf(comparison, 'together'),
      togetherRatio: spreadOf(comparison, 'together', 'alone'),
    }));
  } finally {
    for (const exchange of served) await exchange.stop();
  }
}

/** For each ledger of an exchange, orders of traders of that ledger, one for each connection. */
async function openLoads(origin: string, ledgers: number, traders: number): Promise<Load[]> {
  const operator = new Operator(origin);
  const loads: Load[] = [];
  for (let ledger = 0; ledger < ledgers; ledger += 1) {
    if (ledgers > 1) await operator.openIn(ledger);
    const opened = await openTraders(origin, traders);
    loads.push(
      loadOrders(
        origin,
        opened.map(({ token }) => token),
      ),
    );
  }
  return loads;
}
