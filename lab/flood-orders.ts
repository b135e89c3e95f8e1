import { setTimeout as sleep } from 'node:timers/promises';
import { Clerk } from '../test/kills/clerk.ts';
import type { Client } from '../test/support/client.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { buildWorker } from '../scripts/build-worker.ts';
import { findFaults } from './flood/find-faults.ts';
import { GATE_ABORTED, writeFloodedEntry } from './flood/flooded-entry.ts';
import { floodWithRefused } from './flood/refused-orders.ts';
import { measureLiveHeap } from './profile/measure-heap.ts';
import { readMemory } from './read-runtimes.ts';
import { quantiles, spread } from './spread.ts';
import { openTraders, placeUntilDecided } from './traders.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run flood:orders`: many connections place orders for a minute, each for an account of its own, and once more
 * while the gate is aborted every second. A client repeats an order with the same Idempotency-Key until it is decided.
 *
 * Fails unless the ledger holds exactly the orders that were acknowledged, each with its two transfers, balances sum to
 * zero, and the exchange's objects at the end, after a collection, take less than 1.5 times what they took after a third
 * of the time. Prints throughput, the times of orders from their first sending to their decision, and the memory of the
 * whole runtime. Needs Linux.
 *
 * `-- --refused` instead measures what refused orders cost those that are filled; see `floodWithRefused`.
 */

const { seconds, connections, refused } = readOptions({ seconds: 60, connections: 64, refused: false });

const FUNDS = { USDT: '100000', BTC: '1' } as const;
const MOST_GROWTH = 1.5;
const MEMORY_PAUSE_MS = 1_000;

/** How long a client waits before it repeats an order that was not decided. */
const RETRY_PAUSE_MS = 100;

interface Memory {
  /** The whole runtime's, once a second. */
  readonly resident: readonly number[];
  /** The exchange's live objects after a third of the time and at its end. */
  readonly live: readonly [number, number];
}

using temporary = makeTemporaryFolder('flood');
const directory = temporary.path;
await buildWorker('', directory);
if (refused) tellFaults(await floodWithRefused(directory));
else for (const abortsGate of [false, true]) await flood(abortsGate);

async function flood(abortsGate: boolean): Promise<void> {
  const entry = writeFloodedEntry(directory, abortsGate);
  await using exchange = await startServedExchange({ bundle: directory, entry, site: false, inspectorPort: 0 });
  const clients = await openTraders(new Operator(exchange.url), connections, FUNDS);
  const clerk = new Clerk();
  clerk.origin = exchange.url;
  const end_ms = Date.now() + seconds * 1_000;
  const [times, memory] = await Promise.all([
    Promise.all(clients.map((client) => placeUntil(clerk, client, end_ms))),
    watchMemory(exchange.inspectorUrl ?? '', end_ms),
  ]);
  const missing = await findFaults(exchange.probe, clerk);
  const aborted = exchange.log().split(GATE_ABORTED).length - 1;
  report(aborted, clerk, times, memory);
  const faults = [...clerk.violations, ...missing, ...judgeMemory(memory)];
  if (abortsGate && aborted < seconds / 3) faults.push('the gate was not aborted');
  tellFaults(faults);
}

function tellFaults(faults: readonly string[]): void {
  for (const fault of faults.slice(0, 20)) console.log(`WRONG: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}

/** Places one order after the other, and returns how long each took to be decided. */
async function placeUntil(clerk: Clerk, client: Client, end_ms: number): Promise<number[]> {
  const times_ms: number[] = [];
  while (Date.now() < end_ms) {
    const begun_ms = performance.now();
    await placeUntilDecided(clerk, client, times_ms.length % 2 === 0 ? 'BUY' : 'SELL', RETRY_PAUSE_MS);
    times_ms.push(performance.now() - begun_ms);
  }
  return times_ms;
}

async function watchMemory(inspectorUrl: string, end_ms: number): Promise<Memory> {
  const resident: number[] = [];
  const third_ms = Date.now() + (end_ms - Date.now()) / 3;
  const watchUntil = async (until_ms: number) => {
    while (Date.now() < until_ms) {
      resident.push(readMemory());
      await sleep(MEMORY_PAUSE_MS);
    }
    return measureLiveHeap(inspectorUrl);
  };
  return { live: [await watchUntil(third_ms), await watchUntil(end_ms)], resident };
}

function report(aborted: number, { figures }: Clerk, times_ms: readonly number[][], { resident, live }: Memory): void {
  console.log(aborted > 0 ? `The gate aborted ${aborted} times:` : 'The gate left alone:');
  console.log(
    `  ${figures.acknowledged} orders in ${seconds} s on ${connections} connections; ` +
      `${figures.cut} answers left an order undecided, ${figures.foundDone} of those orders had been executed`,
  );
  const [median, p99, longest] = [0.5, 0.99, 1].map((share) => quantiles(times_ms.flat())(share).toFixed(0));
  console.log(`  median ${median} ms, p99 ${p99} ms, longest ${longest} ms`);
  const third = Math.max(1, Math.floor(resident.length / 3));
  const [early, late] = [resident.slice(0, third), resident.slice(-third)].map((bytes) => spread(bytes).median);
  console.log(
    `  memory of the runtime ${showMebibytes(early)}, then ${showMebibytes(late)}; ` +
      `live objects of the exchange ${showMebibytes(live[0])}, then ${showMebibytes(live[1])}`,
  );
}

function showMebibytes(bytes = Number.NaN): string {
  return `${(bytes / 1_048_576).toFixed(0)} MiB`;
}

/**
 * The runtime's whole memory is no measure of a leak: it rises while V8 lets its heap grow, and while SQLite fills the
 * bounded caches of the lanes' databases.
 */
function judgeMemory({ live: [early, late] }: Memory): string[] {
  return late <= early * MOST_GROWTH ? [] : [`live objects grew from ${early} to ${late} bytes`];
}
