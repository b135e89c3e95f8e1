import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { distinctCandleQuestion, strangerAddress } from '../test/support/node/venues/candle-questions.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { writeCountingEntry } from './bench/counting-entry.ts';
import { buildWorker } from './build-worker.ts';

/**
 * `npm run flood`: measures how much different candle requests from many addresses slow down a trader's orders. Prints
 * the median and the 95th percentile of an order's time without them and with them, in turns of one run, and fails
 * where either is over twice as long or an order is refused. The machine should be otherwise idle: client, venues and
 * exchange share its cores. `--rate` is questions a second, `--orders` how many orders a turn has, `--turns` how many
 * turns.
 */

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '200' },
    orders: { type: 'string', default: '100' },
    turns: { type: 'string', default: '4' },
  },
});
const [rate, ordersPerTurn, turns] = [Number(values.rate), Number(values.orders), Number(values.turns)];

/** The pace of the orders, which leaves room between them. */
const PAUSE_MS = 50;

/** The pace of the flood: this often, a batch. */
const BATCH_MS = 50;

const directory = mkdtempSync(join(tmpdir(), 'bureau-flood-'));
await buildWorker('', directory);
const venues = fork(fileURLToPath(new URL('../test/support/node/venues/serve-venues.ts', import.meta.url)));
const [venuesUrl] = (await once(venues, 'message')) as [string];
const url = (venue: string) => `${venuesUrl}/${venue}`;
const exchange = await startServedExchange(
  {
    bundle: directory,
    entry: writeCountingEntry(directory),
    variables: {
      PRICE_SOURCES: 'binance,okx,kucoin',
      CANDLE_SOURCES: 'binance,bybit,kucoin',
      BINANCE_URL: url('binance'),
      OKX_URL: url('okx'),
      KUCOIN_URL: url('kucoin'),
      BYBIT_URL: url('bybit'),
    },
  },
  false,
);

const operator = new Operator(exchange.url);
const token = await operator.createKey(await operator.openAccount({ USDT: '100000' }));
const ORDER = JSON.stringify({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' });

let refused = 0;

/** How long one order takes, in milliseconds. */
async function timeOrder(): Promise<number> {
  const begun_ms = performance.now();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${exchange.url}/api/v1/orders`, { method: 'POST', headers, body: ORDER });
  await response.arrayBuffer();
  if (response.status !== 201) refused += 1;
  return performance.now() - begun_ms;
}

async function timeOrders(count: number): Promise<number[]> {
  const times_ms: number[] = [];
  while (times_ms.length < count) {
    times_ms.push(await timeOrder());
    await sleep(PAUSE_MS);
  }
  return times_ms;
}

let asked = 0;
const statuses = new Map<string, number>();

async function askOnce(index: number): Promise<void> {
  const headers = { 'CF-Connecting-IP': strangerAddress(index) };
  const status = await fetch(`${exchange.url}${distinctCandleQuestion(index)}`, { headers }).then(
    async (response) => {
      await response.arrayBuffer();
      return String(response.status);
    },
    () => 'connection lost',
  );
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** Asks at the rate until the work is done. */
async function flood<T>(work: Promise<T>): Promise<T> {
  const open = new Set<Promise<void>>();
  const [begun_ms, first] = [performance.now(), asked];
  const timer = setInterval(() => {
    const due = first + Math.floor(((performance.now() - begun_ms) / 1_000) * rate);
    while (asked < due) {
      const question = askOnce(asked++).finally(() => open.delete(question));
      open.add(question);
    }
  }, BATCH_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    await Promise.allSettled(open);
  }
}

function quantile(times_ms: readonly number[], share: number): number {
  const sorted = times_ms.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

try {
  await timeOrders(20);
  const [calm, flooded]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn++) {
    calm.push(...(await timeOrders(ordersPerTurn)));
    flooded.push(...(await flood(timeOrders(ordersPerTurn))));
  }
  const rows = [0.5, 0.95].map((share) => {
    const [without_ms, with_ms] = [quantile(calm, share), quantile(flooded, share)];
    return { order: share === 0.5 ? 'median' : 'p95', without_ms, with_ms, times: with_ms / without_ms };
  });
  console.table(rows);
  console.log(`${calm.length} orders without, ${flooded.length} with ${rate} questions a second: ${asked} questions,`);
  console.log(`answered ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`);
  console.log(`${refused} orders were refused`);
  if (refused > 0 || rows.some(({ times }) => times > 2)) process.exitCode = 1;
} finally {
  await exchange.stop();
  venues.disconnect();
  rmSync(directory, { recursive: true, force: true });
}
