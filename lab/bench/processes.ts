import { join } from 'node:path';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { type Spread, spread } from '../spread.ts';
import { Connections, type Load } from './load.ts';
import type { RoundOptions } from './rounds.ts';
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

/** What is measured in a round, in this order or in the reverse: the loads that are sent at once. */
const SIDES = ['alone', 'apart', 'together'] as const;

type Sides = Readonly<Record<(typeof SIDES)[number], readonly Load[]>>;

/**
 * Compares the throughput of orders to one ledger with that to several, each in a runtime of its own or all in one. On
 * the platform each ledger has a database, a gate and lanes of its own, which run on whichever machines they are
 * placed; a local runtime is one process with one thread for all of them. A runtime of its own is an exchange of one
 * ledger. All are started before the first round and measured in turn. The first round is for warming up and is not
 * counted.
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
    return await measureSides({ alone: apart.slice(0, 1), apart, together }, options);
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

async function measureSides(sides: Sides, options: RoundOptions): Promise<ProcessesMeasurement[]> {
  const measured = new Map(options.connections.map((count) => [count, [] as Record<keyof Sides, number>[]]));
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const [count, rounds] of measured) {
      const throughput = { alone: Number.NaN, apart: Number.NaN, together: Number.NaN };
      for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
        throughput[side] = await measureAtOnce(sides[side], count, options.slice_ms);
      }
      if (round > 0) rounds.push(throughput);
    }
    options.report(round === 0 ? 'warm' : `round ${round} of ${options.rounds}`);
  }
  return [...measured].map(([connections, rounds]) => ({
    connections,
    alone: spread(rounds.map(({ alone }) => alone)),
    apart: spread(rounds.map(({ apart }) => apart)),
    apartRatio: spread(rounds.map(({ alone, apart }) => apart / alone)),
    together: spread(rounds.map(({ together }) => together)),
    togetherRatio: spread(rounds.map(({ alone, together }) => together / alone)),
  }));
}

/** The sum of the throughputs of loads that are sent at the same time, each on so many connections. */
async function measureAtOnce(loads: readonly Load[], count: number, slice_ms: number): Promise<number> {
  const all = loads.map((load) => ({ load, connections: new Connections(load.origin, count) }));
  const measure = (duration_ms: number) =>
    Promise.all(all.map(({ load, connections }) => connections.measure(load, duration_ms)));
  // A short load first, which opens the connections and wakes sleeping objects.
  await measure(slice_ms / 5);
  const throughputs = await measure(slice_ms);
  await Promise.all(all.map(({ connections }) => connections.close()));
  return throughputs.reduce((sum, throughput) => sum + throughput, 0);
}
