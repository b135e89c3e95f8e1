import { type Spread, spread } from '../spread.ts';
import { Connections } from './load.ts';
import type { Subject } from './subjects.ts';

/** How a benchmark is done. */
export interface RoundOptions {
  readonly rounds: number;
  /** How long each of the two loads is sent in a round. */
  readonly slice_ms: number;
  /** The numbers of connections, each measured by itself. */
  readonly connections: readonly number[];
  readonly report: (line: string) => void;
}

/** A subject at one number of connections. Throughputs are answers a second. */
export interface Measurement {
  readonly subject: Subject;
  readonly connections: number;
  readonly floor: Spread;
  readonly exchange: Spread;
  /** The exchange's throughput in shares of its floor's, each round compared in itself. */
  readonly ratio: Spread;
}

/** One round: what the floor and the exchange did right after each other. */
interface Pair {
  readonly floor: number;
  readonly exchange: number;
}

/**
 * Measures all subjects, round after round, so that whatever slows the machine for a while slows every subject alike.
 * In a round the exchange follows its floor at once, or goes before it in every other round. The first round warms both
 * and is not counted.
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

/** One request may be held against two floors. */
function keyOf({ name, floorName }: Subject, connections: number): string {
  return [name, floorName, connections].join('; ');
}

async function measurePair(subject: Subject, count: number, slice_ms: number, floorFirst: boolean): Promise<Pair> {
  const measure = async (side: 'floor' | 'exchange') => {
    const connections = new Connections(subject[side].origin, count);
    // Connections are opened, and objects that slept are woken, before the clock runs.
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
