import { type Spread, spread } from '../spread.ts';
import { Connections } from './load.ts';
import type { Subject } from './subjects.ts';

/** The size of a benchmark. */
export interface RoundOptions {
  readonly rounds: number;
  /** How long each load is sent in a round. */
  readonly slice_ms: number;
  /** The numbers of connections, each measured by itself. */
  readonly connections: readonly number[];
  readonly report: (line: string) => void;
}

/** What was measured of a subject at one number of connections. Throughputs are answers per second. */
export interface Measurement {
  readonly subject: Subject;
  readonly connections: number;
  readonly floor: Spread;
  readonly exchange: Spread;
  /** The exchange's throughput divided by its floor's, round by round. */
  readonly ratio: Spread;
}

/** The throughputs of one round, measured right after each other. */
interface Pair {
  readonly floor: number;
  readonly exchange: number;
}

/**
 * Measures all subjects once per round, so that a slow minute of the machine affects every subject alike. The exchange
 * and its floor are measured right after each other, in alternating order. The first round is for warming up and is not
 * counted.
 */
export async function measureRounds(subjects: readonly Subject[], options: RoundOptions): Promise<Measurement[]> {
  const pairs = new Map<string, Pair[]>();
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const count of options.connections) {
      for (const subject of subjects) {
        const pair = await measurePair(subject, count, options.slice_ms, round % 2 === 0);
        const key = keyOf(subject, count);
        if (round > 0) pairs.set(key, [...(pairs.get(key) ?? []), pair]);
      }
    }
    options.report(round === 0 ? 'warm' : `round ${round} of ${options.rounds}`);
  }
  return subjects.flatMap((subject) =>
    options.connections.map((connections) => {
      const measured = pairs.get(keyOf(subject, connections)) ?? [];
      return {
        subject,
        connections,
        floor: spread(measured.map(({ floor }) => floor)),
        exchange: spread(measured.map(({ exchange }) => exchange)),
        ratio: spread(measured.map(({ floor, exchange }) => exchange / floor)),
      };
    }),
  );
}

/** A request can be compared with more than one floor, so its name alone is no key. */
function keyOf({ name, floorName }: Subject, connections: number): string {
  return [name, floorName, connections].join('; ');
}

async function measurePair(subject: Subject, count: number, slice_ms: number, floorFirst: boolean): Promise<Pair> {
  const measure = async (side: 'floor' | 'exchange') => {
    const connections = new Connections(subject[side].origin, count);
    // A short load first, which opens the connections and wakes sleeping objects.
    await connections.measure(subject[side], slice_ms / 5);
    const throughput = await connections.measure(subject[side], slice_ms);
    await connections.close();
    return throughput;
  };
  if (floorFirst) {
    const floor = await measure('floor');
    return { floor, exchange: await measure('exchange') };
  }
  const exchange = await measure('exchange');
  return { floor: await measure('floor'), exchange };
}
