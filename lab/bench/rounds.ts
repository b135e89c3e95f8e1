import { type Spread, spread } from '../spread.ts';
import { Connections } from './load.ts';
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

/** What is measured in a round, in this order or in the reverse. */
const SIDES = ['floor', 'exchange', 'peer'] as const;

/** The throughputs of one round, measured right after each other. */
interface Round {
  readonly floor: number;
  readonly exchange: number;
  /** `NaN` without a peer. */
  readonly peer: number;
}

/**
 * Measures all subjects once per round, so that a slow minute of the machine affects every subject alike. The exchange
 * is measured right before or right after its floor and its peer, in alternating order. The first round is for warming
 * up and is not counted.
 */
export async function measureRounds(subjects: readonly Subject[], options: RoundOptions): Promise<Measurement[]> {
  const measuredRounds = new Map<string, Round[]>();
  for (let round = 0; round <= options.rounds; round += 1) {
    for (const count of options.connections) {
      for (const subject of subjects) {
        const measured = await measureRound(subject, count, options.slice_ms, round % 2 === 0);
        const key = keyOf(subject, count);
        if (round > 0) measuredRounds.set(key, [...(measuredRounds.get(key) ?? []), measured]);
      }
    }
    options.report(round === 0 ? 'warm' : `round ${round} of ${options.rounds}`);
  }
  return subjects.flatMap((subject) =>
    options.connections.map((connections) => {
      const measured = measuredRounds.get(keyOf(subject, connections)) ?? [];
      return {
        subject,
        connections,
        floor: spread(measured.map(({ floor }) => floor)),
        exchange: spread(measured.map(({ exchange }) => exchange)),
        ratio: spread(measured.map(({ floor, exchange }) => exchange / floor)),
        ...(subject.peer && {
          peer: {
            throughput: spread(measured.map(({ peer }) => peer)),
            ratio: spread(measured.map(({ peer, exchange }) => exchange / peer)),
          },
        }),
      };
    }),
  );
}

/** A request can be compared with more than one floor, so its name alone is no key. */
function keyOf({ name, floorName }: Subject, connections: number): string {
  return [name, floorName, connections].join('; ');
}

async function measureRound(subject: Subject, count: number, slice_ms: number, floorFirst: boolean): Promise<Round> {
  const round = { floor: Number.NaN, exchange: Number.NaN, peer: Number.NaN };
  for (const side of floorFirst ? SIDES : SIDES.toReversed()) {
    const load = subject[side];
    if (!load) continue;
    const connections = new Connections(load.origin, count);
    // A short load first, which opens the connections and wakes sleeping objects.
    await connections.measure(load, slice_ms / 5);
    round[side] = await connections.measure(load, slice_ms);
    await connections.close();
  }
  return round;
}
