import { type Spread, spread } from '../spread.ts';
import { Connections, type Load } from './load.ts';
import type { Subject } from './subjects.ts';

export interface RoundOptions {
  readonly rounds: number;
  /** How long each load is sent in a round. */
  readonly slice_ms: number;
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
  /** The peer's throughput, and the exchange's divided by it, where the peer has such a request. */
  readonly peer?: { readonly throughput: Spread; readonly ratio: Spread };
}

/** The throughputs of one comparison at one number of connections: of each side, in each round. */
export interface Comparison<Side extends string> {
  readonly compared: number;
  readonly connections: number;
  readonly rounds: Readonly<Record<Side, number>>[];
}

/** The spread over the rounds of one side, or of its quotient by another. */
export function spreadOf<Side extends string>({ rounds }: Comparison<Side>, side: Side, divisor?: Side): Spread {
  return spread(rounds.map((round) => round[side] / (divisor === undefined ? 1 : round[divisor])));
}

/**
 * Measures all comparisons once per round, so that a slow minute of the machine affects them alike. The sides of one,
 * each of loads that are sent at once, are measured right after each other, in this order or in the reverse. The first
 * round is for warming up and is not counted.
 */
export async function measureRounds<Side extends string>(
  sides: readonly Side[],
  comparisons: readonly Readonly<Record<Side, readonly Load[]>>[],
  options: RoundOptions,
): Promise<Comparison<Side>[]> {
  const measured = comparisons.flatMap((_, compared) =>
    options.connections.map((connections): Comparison<Side> => ({ compared, connections, rounds: [] })),
  );
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const { compared, connections, rounds } of measured) {
      const throughputs: [Side, number][] = [];
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const loads = comparisons[compared]?.[side] ?? [];
        throughputs.push([side, await measureAtOnce(loads, connections, options.slice_ms)]);
      }
      if (round > 0) rounds.push(Object.fromEntries(throughputs) as Record<Side, number>);
    }
    options.report(round === 0 ? 'warm' : `round ${round} of ${options.rounds}`);
  }
  return measured;
}

/** The sum of the throughputs of loads that are sent at the same time, each on so many connections. */
async function measureAtOnce(loads: readonly Load[], count: number, slice_ms: number): Promise<number> {
  const all = loads.map((load) => ({ load, connections: new Connections(load.origin, count) }));
  const measure = (duration_ms: number) =>
    Promise.all(all.map(({ load, connections }) => connections.measure(load, duration_ms)));
  // A short load first, which opens the connections and wakes sleeping objects.
  await measure(slice_ms / 5);
  const throughputs = await measure(slice_ms);
  await Promise.all(all.map(({ connections }) => connections[Symbol.asyncDispose]()));
  return throughputs.reduce((sum, throughput) => sum + throughput, 0);
}

/** Measures the exchange right before or right after its floor and its peer. */
export async function measureSubjects(subjects: readonly Subject[], options: RoundOptions): Promise<Measurement[]> {
  const loads = subjects.map(({ floor, exchange, peer }) => ({
    floor: [floor],
    exchange: [exchange],
    peer: peer ? [peer] : [],
  }));
  const comparisons = await measureRounds(['floor', 'exchange', 'peer'], loads, options);
  return comparisons.flatMap((comparison) => {
    const subject = subjects[comparison.compared];
    if (!subject) return [];
    const measurement: Measurement = {
      subject,
      connections: comparison.connections,
      floor: spreadOf(comparison, 'floor'),
      exchange: spreadOf(comparison, 'exchange'),
      ratio: spreadOf(comparison, 'exchange', 'floor'),
    };
    if (!subject.peer) return [measurement];
    const peer = { throughput: spreadOf(comparison, 'peer'), ratio: spreadOf(comparison, 'exchange', 'peer') };
    return [{ ...measurement, peer }];
  });
}
