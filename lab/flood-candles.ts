import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { forkVenues } from '../test/support/node/venues/fork-venues.ts';
import { venueUrlVariables } from '../test/support/node/venues/venue-remote.ts';
import { writeCountingEntry } from './bench/counting-entry.ts';
import { buildWorker } from '../scripts/build-worker.ts';
import { quantiles } from './spread.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run flood`: measures how much different candle requests from many addresses, of a thousand candles each, slow
 * down a trader's orders. Prints the median and the 95th percentile of an order's time without them and with them, in
 * alternating turns, and fails when either is more than doubled or an order is refused. The machine should be otherwise
 * idle, because client, venues and exchange share its cores. `--rate` is candle requests per second, `--orders` the
 * orders of a turn, `--turns` the number of turns.
 */

const { rate, orders: ordersPerTurn, turns } = readOptions({ rate: 200, orders: 400, turns: 2 });

const PAUSE_MS = 50;

using temporary = makeTemporaryFolder('flood');
const directory = temporary.path;
await buildWorker('', directory);
await using venues = await forkVenues();
await using exchange = await startServedExchange(
  {
    bundle: directory,
    entry: writeCountingEntry(directory),
    variables: {
      ...venueUrlVariables(venues.url),
      PRICE_SOURCES: 'binance,okx,kucoin',
      CANDLE_SOURCES: 'binance,bybit,kucoin',
    },
  },
  false,
);

using asker = fork(fileURLToPath(new URL('flood/ask-candles.ts', import.meta.url)), [exchange.url, String(rate)]);
const operator = new Operator(exchange.url);
const token = await operator.createKey(await operator.openAccount({ USDT: '100000' }));
const ORDER = JSON.stringify({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' });

let refused = 0;

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

const statuses = new Map<string, number>();

/** Has the other process ask for candles until the work is done. */
async function flood<T>(work: () => Promise<T>): Promise<T> {
  asker.send('begin');
  try {
    return await work();
  } finally {
    asker.send('end');
    const [counts] = (await once(asker, 'message')) as [Record<string, number>];
    for (const [status, count] of Object.entries(counts)) statuses.set(status, (statuses.get(status) ?? 0) + count);
  }
}

await timeOrders(20);
const [calm, flooded]: [number[], number[]] = [[], []];
for (let turn = 0; turn < turns; turn++) {
  calm.push(...(await timeOrders(ordersPerTurn)));
  flooded.push(...(await flood(() => timeOrders(ordersPerTurn))));
}
const rows = [0.5, 0.95].map((share) => {
  const [without_ms, with_ms] = [quantiles(calm)(share), quantiles(flooded)(share)];
  return { order: share === 0.5 ? 'median' : 'p95', without_ms, with_ms, times: with_ms / without_ms };
});
console.table(rows);
const asked = [...statuses.values()].reduce((sum, count) => sum + count, 0);
console.log(`${calm.length} orders without, ${flooded.length} with ${rate} questions a second: ${asked} questions,`);
console.log(`answered ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`);
console.log(`${refused} orders were refused`);
if (refused > 0 || rows.some(({ times }) => times > 2)) process.exitCode = 1;
