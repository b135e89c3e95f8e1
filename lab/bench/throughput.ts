import { formatTable } from '../measured-section.ts';
import type { Spread } from '../spread.ts';
import type { ProcessesMeasurement } from './processes.ts';
import type { Measurement, RoundOptions } from './rounds.ts';
import type { Target } from './subjects.ts';

export interface Circumstances extends Pick<RoundOptions, 'rounds' | 'slice_ms'> {
  readonly date: Date;
  readonly cores: number;
  readonly processor: string;
  /** Versions of the runtime, and of the Node that sent the requests. */
  readonly workerd: string;
  readonly node: string;
}

export interface ThroughputRow {
  readonly Request: string;
  readonly Floor: string;
  readonly Connections: string;
  readonly 'Floor, a second': string;
  readonly 'Bureau, a second': string;
  readonly 'Share of the floor': string;
  readonly Target: string;
  /** The columns of the peer, if one was measured. */
  readonly 'Peer, a second'?: string;
  readonly 'Share of the peer'?: string;
  readonly 'Target beside it'?: string;
}

/** One row per measurement: medians with their quartiles. */
export function tabulate(measurements: readonly Measurement[]): ThroughputRow[] {
  const hasPeer = measurements.some(({ peer }) => peer !== undefined);
  return measurements.map(({ subject, connections, floor, exchange, ratio, peer }) => ({
    Request: subject.name,
    Floor: subject.floorName,
    Connections: String(connections),
    'Floor, a second': show(floor, showThroughput),
    'Bureau, a second': show(exchange, showThroughput),
    'Share of the floor': show(ratio, showShare),
    Target: judge(ratio, subject.target, connections),
    ...(hasPeer && {
      'Peer, a second': peer ? show(peer.throughput, showThroughput) : '–',
      'Share of the peer': peer ? show(peer.ratio, showShare) : '–',
      'Target beside it': peer && subject.peerTarget ? judge(peer.ratio, subject.peerTarget, connections) : '–',
    }),
  }));
}

function judge({ median }: Spread, { alone, together }: Target, connections: number): string {
  const target = connections === 1 ? alone : together;
  return `${showShare(target)}, ${median >= target ? 'met' : 'missed'}`;
}

export interface ProcessesRow {
  readonly 'Connections to each ledger': string;
  readonly 'One ledger': string;
  readonly 'Ledgers in a process each': string;
  readonly 'Of one ledger': string;
  readonly 'As many in one process': string;
  readonly 'Of one': string;
}

/** One row for each number of connections: medians with their quartiles. */
export function tabulateProcesses(measurements: readonly ProcessesMeasurement[]): ProcessesRow[] {
  return measurements.map(({ connections, alone, apart, apartRatio, together, togetherRatio }) => ({
    'Connections to each ledger': String(connections),
    'One ledger': show(alone, showThroughput),
    'Ledgers in a process each': show(apart, showThroughput),
    'Of one ledger': show(apartRatio, showShare),
    'As many in one process': show(together, showThroughput),
    'Of one': show(togetherRatio, showShare),
  }));
}

export function describeThroughput(
  rows: readonly (ThroughputRow | ProcessesRow)[],
  circumstances: Circumstances,
): string[] {
  const { date, rounds, slice_ms, cores, processor, workerd, node } = circumstances;
  return [
    `Measured on ${date.toISOString().slice(0, 10)}: ${rounds} rounds of ${slice_ms} ms a side, on ${cores} cores ` +
      `(${processor}), workerd ${workerd}, Node ${node}.`,
    '',
    ...formatTable(rows),
  ];
}

function show({ median, low, high }: Spread, showOne: (value: number) => string): string {
  return `${showOne(median)} (${showOne(low)} to ${showOne(high)})`;
}

function showThroughput(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Rounds down, so that a missed target never reads as met. */
function showShare(value: number): string {
  return (Math.floor(value * 100) / 100).toFixed(2);
}
