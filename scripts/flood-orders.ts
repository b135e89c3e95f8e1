import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Clerk } from '../test/kills/clerk.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { buildWorker } from './build-worker.ts';
import { GATE_ABORTED, writeFloodedEntry } from './flood/flooded-entry.ts';
import { readMemory } from './read-memory.ts';
import { spread } from './spread.ts';

/**
 * `npm run flood:orders`: many connections place orders for a minute, each for an account of its own, and once more
 * while the gate is aborted every second. A client repeats an order with the same Idempotency-Key until it is decided.
 * Fails unless the ledger holds exactly the orders that were acknowledged, each with its two transfers, balances sum to
 * zero, and the runtime's memory at the end is less than 1.5 times that of the first third. Prints throughput, the
 * median and the 99th percentile of an order's time from its first sending to its decision, and the memory. Needs Linux.
 */

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, connections: { type: 'string', default: '64' } },
});
const [seconds, connections] = [Number(values.seconds), Number(values.connections)];

const FUNDS = { USDT: '100000', BTC: '1' } as const;
const ORDERS_PATH = '/api/v1/orders';
const MOST_GROWTH = 1.5;
const MEMORY_PAUSE_MS = 1_000;

/** How long a client waits before it repeats an order that was not decided. */
const RETRY_PAUSE_MS = 100;

/** The holder of an account, who has one order open at a time. */
interface Client {
  readonly accountId: string;
  readonly token: string;
}

const directory = mkdtempSync(join(tmpdir(), 'bureau-flood-'));
try {
  await buildWorker('', directory);
  for (const abortsGate of [false, true]) await flood(abortsGate);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function flood(abortsGate: boolean): Promise<void> {
  const entry = writeFloodedEntry(directory, abortsGate);
  const exchange = await startServedExchange({ bundle: directory, entry, site: false });
  try {
    const clients = await openClients(new Operator(exchange.url));
    const clerk = new Clerk();
    clerk.origin = exchange.url;
    const end_ms = Date.now() + seconds * 1_000;
    const [times, memory_bytes] = await Promise.all([
      Promise.all(clients.map((client) => placeUntil(clerk, client, end_ms))),
      watchMemory(end_ms),
    ]);
    const missing = await findFaults(exchange, clerk);
    const aborted = exchange.log().split(GATE_ABORTED).length - 1;
    report(aborted, clerk, times.flat(), memory_bytes);
    const faults = [...clerk.violations, ...missing, ...judgeMemory(memory_bytes)];
    if (abortsGate && aborted < seconds / 3) faults.push('the gate was not aborted');
    for (const fault of faults.slice(0, 20)) console.log(`WRONG: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await exchange.stop();
  }
}

async function openClients(operator: Operator): Promise<Client[]> {
  const clients: Client[] = [];
  for (let index = 0; index < connections; index += 1) {
    const accountId = await operator.openAccount(FUNDS);
    clients.push({ accountId, token: await operator.createKey(accountId) });
  }
  return clients;
}

/** Places one order after the other, and returns how long each took to be decided, in milliseconds. */
async function placeUntil(clerk: Clerk, { accountId, token }: Client, end_ms: number): Promise<number[]> {
  const times_ms: number[] = [];
  while (Date.now() < end_ms) {
    const side = times_ms.length % 2 === 0 ? 'BUY' : 'SELL';
    const entry = clerk.enter({
      kind: 'order',
      accountId,
      token,
      path: ORDERS_PATH,
      idempotencyKey: randomUUID(),
      body: { coin: 'BTC', side, mode: 'USDT_AMOUNT', value: '5' },
      mark: '5',
    });
    const begun_ms = performance.now();
    while (!(await clerk.send(entry))) await sleep(RETRY_PAUSE_MS);
    times_ms.push(performance.now() - begun_ms);
  }
  return times_ms;
}

async function watchMemory(end_ms: number): Promise<number[]> {
  const memory_bytes: number[] = [];
  while (Date.now() < end_ms) {
    memory_bytes.push(readMemory());
    await sleep(MEMORY_PAUSE_MS);
  }
  return memory_bytes;
}

/** Compares the ledger with the answers, when no request is open any more. */
async function findFaults({ probe }: ServedExchange, { entries }: Clerk): Promise<string[]> {
  const acknowledged = entries.flatMap(({ first }) =>
    first?.status === 201 ? [(JSON.parse(first.body) as { order: { id: string } }).order.id] : [],
  );
  const told = new Set(acknowledged);
  const refused = entries.filter(({ first }) => first?.status !== 201);
  const kept = await probe.query<{ id: string; transfers: number }>(
    `SELECT orders.id, coalesce(made.count, 0) AS transfers FROM orders LEFT JOIN
      (SELECT reference, count(*) AS count FROM transfers WHERE kind = 'order' GROUP BY reference) AS made
      ON made.reference = orders.id`,
  );
  const ids = new Set(kept.map(({ id }) => id));
  const crooked = await probe.query('SELECT asset, sum(amount) FROM balances GROUP BY asset HAVING sum(amount) != 0');
  return [
    ...refused.map(({ first }) => `an order was refused: ${first?.status} ${first?.body}`),
    ...(told.size === acknowledged.length ? [] : ['two requests were answered with one order']),
    ...acknowledged.filter((id) => !ids.has(id)).map((id) => `order ${id} was acknowledged and is not in the ledger`),
    ...kept.filter(({ id }) => !told.has(id)).map(({ id }) => `order ${id} is in the ledger and nobody was told`),
    ...kept.filter(({ transfers }) => transfers !== 2).map(({ id }) => `order ${id} has not two transfers`),
    ...crooked.map((row) => `balances do not sum to zero: ${JSON.stringify(row)}`),
  ];
}

function report(aborted: number, { figures }: Clerk, times_ms: number[], memory_bytes: readonly number[]): void {
  const sorted = times_ms.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(0);
  const [early, late] = splitMemory(memory_bytes).map((bytes) => (bytes / 1_048_576).toFixed(0));
  console.log(aborted > 0 ? `The gate aborted ${aborted} times:` : 'The gate left alone:');
  console.log(
    `  ${figures.acknowledged} orders in ${seconds} s on ${connections} connections; ` +
      `${figures.cut} answers left an order undecided, ${figures.foundDone} of those orders had been executed`,
  );
  console.log(`  median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms; memory ${early} MiB, then ${late} MiB`);
}

function judgeMemory(memory_bytes: readonly number[]): string[] {
  const [early, late] = splitMemory(memory_bytes);
  return late <= early * MOST_GROWTH ? [] : [`memory grew from ${early} to ${late} bytes`];
}

/** The medians of the first third and of the last. */
function splitMemory(memory_bytes: readonly number[]): readonly [number, number] {
  const third = Math.max(1, Math.floor(memory_bytes.length / 3));
  return [spread(memory_bytes.slice(0, third)).median, spread(memory_bytes.slice(-third)).median];
}
