import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildWorker } from '../scripts/build-worker.ts';
import { type Peer, isPeer, startPeer } from './bench/peer.ts';
import { measureWaits, writeWaits } from './bench/order-waits.ts';
import { measurePlatform, writePlatform } from './bench/platform.ts';
import { profileSubject } from './bench/profile.ts';
import { measureProcesses } from './bench/processes.ts';
import { type RoundOptions, measureSubjects } from './bench/rounds.ts';
import { startBenchRuntime } from './bench/start-runtime.ts';
import { type Subject, describeSubjects } from './bench/subjects.ts';
import {
  type ProcessesRow,
  type ThroughputRow,
  describeThroughput,
  tabulate,
  tabulateProcesses,
} from './bench/throughput.ts';
import { writeMeasured } from './measured-section.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';

/**
 * `npm run bench` compares the throughput of each kind of request with the runtime's limit for it. It prints the table
 * and writes it into docs/performance.md. With `--rounds`, `--slice` (milliseconds) or `--only` (a part of a subject's
 * name) it measures something else and writes nothing.
 *
 * `-- --peer FOLDER` also measures the server of that folder, which a team might have built instead, in the same run:
 * see bench/peer.ts.
 *
 * `-- --processes 2` instead compares the throughput of orders to one ledger with that to two, each in a runtime
 * process of its own or both in one, and writes that into the document.
 *
 * `-- --platform` gives each write of an object and each call of D1 the time that it takes on the platform, prints the waits
 * of each kind of request in order, and writes them into the document.
 *
 * `-- --waits` times orders that wait for their price, over played streams and without, and writes that into the document.
 *
 * `-- --profile "an order"` records a CPU profile of one kind of request instead, with `--connections` at once, into
 * `dist/<name>.cpuprofile`. Chrome's DevTools, Visual Studio Code and speedscope show such a file.
 */

const DOCUMENT = 'docs/performance.md';

const FULL = { rounds: '9', slice: '500', only: '' };

/** The same for processes, which there are two of. There is only one kind of request, so each side has more time. */
const FULL_OF_PROCESSES = { rounds: '9', slice: '2000', processes: '2' };

/** How many connections are measured at once. Each has its own trader. */
const CONNECTIONS = [1, 16];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: FULL.rounds },
    slice: { type: 'string' },
    processes: { type: 'string' },
    platform: { type: 'boolean', default: false },
    waits: { type: 'boolean', default: false },
    only: { type: 'string', default: FULL.only },
    profile: { type: 'string' },
    connections: { type: 'string', default: '16' },
    peer: { type: 'string' },
  },
});

using temporary = makeTemporaryFolder('bench');
const directory = temporary.path;
if (values.profile !== undefined) await profile(values.profile, Number(values.connections));
else if (values.platform) await showPlatform();
else if (values.waits) await showWaits();
else if (values.processes !== undefined) await compareProcesses(values.processes);
else await measure();

async function measure(): Promise<void> {
  const traders = Math.max(...CONNECTIONS);
  await using runtime = await startBenchRuntime(directory, { traders });
  await using peer = values.peer === undefined ? undefined : await openPeer(values.peer, traders);
  const slice = values.slice ?? FULL.slice;
  const subjects = findSubjects(await describeSubjects(runtime, peer), values.only);
  const isFull = values.rounds === FULL.rounds && slice === FULL.slice && values.only === FULL.only;
  await tell(slice, isFull, async (options) => tabulate(await measureSubjects(subjects, options)), 'Throughput');
}

async function compareProcesses(processes: string): Promise<void> {
  const slice = values.slice ?? FULL_OF_PROCESSES.slice;
  const isFull = JSON.stringify({ rounds: values.rounds, slice, processes }) === JSON.stringify(FULL_OF_PROCESSES);
  const measureAll = async (options: RoundOptions) =>
    tabulateProcesses(await measureProcesses(directory, Number(processes), options));
  await tell(slice, isFull, measureAll, 'Throughput of two ledgers');
}

/** Prints what is measured. Only a full run is written into the document, below a heading. */
async function tell(
  slice: string,
  isFull: boolean,
  measureAll: (options: RoundOptions) => Promise<readonly (ThroughputRow | ProcessesRow)[]>,
  heading: string,
): Promise<void> {
  const [rounds, slice_ms] = [Number(values.rounds), Number(slice)];
  const rows = await measureAll({ rounds, slice_ms, connections: CONNECTIONS, report: reportTimes() });
  console.table(rows);
  if (!isFull) {
    console.log(`not a full run: ${DOCUMENT} stays as it is`);
    return;
  }
  const lines = describeThroughput(rows, { rounds, slice_ms, date: new Date(), ...describeMachine() });
  writeFileSync(DOCUMENT, writeMeasured(readFileSync(DOCUMENT, 'utf8'), heading, lines));
  console.log(`written into ${DOCUMENT}`);
}

async function showWaits(): Promise<void> {
  await buildWorker('', directory);
  const rows = await measureWaits(directory);
  console.table(rows);
  writeFileSync(DOCUMENT, writeWaits(readFileSync(DOCUMENT, 'utf8'), rows, new Date()));
  console.log(`written into ${DOCUMENT}`);
}

async function showPlatform(): Promise<void> {
  const rows = await measurePlatform(directory);
  console.table(rows);
  writeFileSync(DOCUMENT, writePlatform(readFileSync(DOCUMENT, 'utf8'), rows, new Date()));
  console.log(`written into ${DOCUMENT}`);
}

/** Prints each line with the seconds that have passed since this call. */
function reportTimes(): (line: string) => void {
  const begun_ms = Date.now();
  return (line) => console.log(`${Math.round((Date.now() - begun_ms) / 1_000)} s: ${line}`);
}

async function openPeer(folder: string, traders: number): Promise<Peer> {
  if (!isPeer(folder)) throw new Error(`there is no peer in ${folder}`);
  return startPeer(folder, join(directory, 'peer'), traders);
}

async function profile(name: string, connections: number): Promise<void> {
  await using runtime = await startBenchRuntime(directory, { traders: connections, profiled: true });
  const subjects = findSubjects(await describeSubjects(runtime), name);
  const subject = subjects.find((each) => each.name === name) ?? subjects[0];
  if (!subject) return;
  const profiled = await profileSubject(runtime, subject, connections);
  const file = `dist/${subject.name.replaceAll(/\W+/g, '-')}.cpuprofile`;
  mkdirSync('dist', { recursive: true });
  writeFileSync(file, JSON.stringify(profiled.profile));
  console.log(`${subject.name}, ${connections} at once: ${profiled.throughput.toFixed(0)} a second; profile: ${file}`);
}

function findSubjects(subjects: readonly Subject[], part: string): Subject[] {
  const found = subjects.filter(({ name }) => name.includes(part));
  if (found.length > 0) return found;
  throw new Error(`"${part}" is none of: ${subjects.map(({ name }) => name).join('; ')}`);
}

function describeMachine() {
  const { version } = createRequire(import.meta.url)('workerd') as { version: string };
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    workerd: version,
    node: process.versions.node,
  };
}
