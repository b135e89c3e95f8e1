import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { buildWorker } from '../../scripts/build-worker.ts';
import { openTraders } from '../traders.ts';
import { type Reconciliation, driveKeeper, readReconciliation, say } from './drive-keeper.ts';
import { makeLedger, runExchange, writeThrough } from './make-ledger.ts';
import { takeBatches, writeMeteredEntry } from './metered-entry.ts';
import { type Latencies, OrderLoad } from './order-load.ts';
import { faults, plantFaults } from './plant-faults.ts';
import { openLedgerFile } from '../../scripts/open-ledger-file.ts';

export interface PassOptions {
  /** How many orders the ledger has, or the folder of a storage that `makeStorage` made. */
  readonly ledger: number | string;
  /** The rate of orders during the pass. It is lowered to half of what the machine can do, if that is less. */
  readonly perSecond: number;
  /** How long orders are measured without a pass, before it and after it. */
  readonly calm_ms: number;
}

/** The times of a pass over a large ledger, and of the orders during it. */
export interface MeasuredPass {
  readonly orders: number;
  readonly accounts: number;
  readonly bytes: number;
  readonly most: number;
  readonly perSecond: number;
  readonly pass_ms: number;
  /** The milliseconds of D1 for each batch of the keeper during the pass. */
  readonly batches_ms: readonly number[];
  readonly beside: Latencies;
  readonly calm: readonly Latencies[];
  readonly status: string;
  /** The pass after every invariant was broken, with orders until trading is halted. */
  readonly planted_ms: number;
  readonly broken: readonly string[];
  readonly missed: readonly string[];
}

const TRADERS = 32;

/** Makes the storage with which a later measurement starts. */
export async function makeStorage(directory: string, storage: string, orders: number): Promise<void> {
  const { bundle, entry } = await bundleExchange(directory);
  await makeLedger(bundle, entry, storage, orders);
}

/**
 * Has the keeper run a pass over a large ledger as in production, while orders are placed. The database has a process of
 * its own: in one process with the Worker and its objects, all would share one thread.
 */
export async function measurePass(directory: string, { ledger, ...load }: PassOptions): Promise<MeasuredPass> {
  const { bundle, entry } = await bundleExchange(directory);
  const storage = join(directory, 'storage');
  if (typeof ledger === 'number') await makeLedger(bundle, entry, storage, ledger);
  else cpSync(ledger, storage, { recursive: true });
  writeThrough(storage);
  const size = measureLedger(storage);
  const start = () => startServedExchange({ bundle, entry, storage, site: false, databasesApart: true }, false);
  const clean = await runExchange(await start(), (exchange) => measureClean(exchange, load));
  say(`a pass found ${clean.found.status} after ${(clean.pass_ms / 60_000).toFixed(1)} minutes`);
  for (const { median_ms, p95_ms } of [...clean.calm, clean.beside]) {
    say(`an order took ${median_ms.toFixed(1)} ms, at p95 ${p95_ms.toFixed(1)} ms`);
  }
  const planted = openLedgerFile(storage);
  plantFaults(planted);
  planted.close();
  const faulty = await runExchange(await start(), async (exchange) => {
    const orders = new OrderLoad(exchange.url, clean.tokens);
    const pass = await watchPass(exchange, orders, clean.perSecond);
    await orders.close();
    return pass;
  });
  const broken = faulty.found.invariants.filter(({ status }) => status === 'broken').map(({ name }) => name);
  return {
    ...clean,
    ...size,
    status: clean.found.status,
    planted_ms: faulty.pass_ms,
    broken,
    missed: Object.keys(faults).filter((name) => !broken.includes(name)),
  };
}

async function bundleExchange(directory: string): Promise<{ bundle: string; entry: string }> {
  const bundle = join(directory, 'bundle');
  await buildWorker('', bundle);
  return { bundle, entry: writeMeteredEntry(bundle) };
}

function measureLedger(storage: string): { orders: number; accounts: number; bytes: number } {
  const file = openLedgerFile(storage);
  const row = file
    .prepare(
      `SELECT page_count * page_size AS bytes, (SELECT count(*) FROM orders) AS orders, (SELECT count(*) FROM accounts) AS accounts
      FROM pragma_page_count, pragma_page_size`,
    )
    .get();
  file.close();
  return { orders: Number(row?.['orders']), accounts: Number(row?.['accounts']), bytes: Number(row?.['bytes']) };
}

async function measureClean(exchange: ServedExchange, { perSecond, calm_ms }: Omit<PassOptions, 'ledger'>) {
  const traders = await openTraders(new Operator(exchange.url), TRADERS, { USDT: '10000', BTC: '0.1' });
  const tokens = traders.map(({ token }) => token);
  const load = new OrderLoad(exchange.url, tokens);
  const most = await load.findMost(16, calm_ms / 4);
  const rate = Math.min(perSecond, Math.floor(most / 2));
  say(`the machine takes ${most.toFixed(0)} orders a second; ${rate} are sent`);
  const before = await load.send(rate, elapsed(calm_ms));
  const pass = await watchPass(exchange, load, rate);
  const after = await load.send(rate, elapsed(calm_ms));
  await load.close();
  return { ...pass, tokens, most, perSecond: rate, calm: [before, after] };
}

interface WatchedPass {
  readonly pass_ms: number;
  readonly batches_ms: readonly number[];
  readonly beside: Latencies;
  readonly found: Reconciliation;
}

/** Starts a pass, and sends orders until it has ended. */
async function watchPass(exchange: ServedExchange, load: OrderLoad, perSecond: number): Promise<WatchedPass> {
  const operator = new Operator(exchange.url);
  const before = (await readReconciliation(operator)).lastPass?.pass ?? 0;
  await takeBatches(exchange.url);
  let hasEnded = false;
  const watch = async () => {
    await operator.operate('POST', '/reconciliation/run');
    const shown = await driveKeeper(exchange, operator, ({ lastPass }) => (lastPass?.pass ?? 0) > before);
    hasEnded = true;
    return shown;
  };
  const [found, beside] = await Promise.all([watch(), load.send(perSecond, () => hasEnded)]);
  const [startedAt, completedAt] = [found.lastPass?.startedAt ?? '', found.lastPass?.completedAt ?? ''];
  const pass_ms = Date.parse(completedAt) - Date.parse(startedAt);
  return { pass_ms, batches_ms: await takeBatches(exchange.url), beside, found };
}

function elapsed(time_ms: number): () => boolean {
  const end_ms = Date.now() + time_ms;
  return () => Date.now() >= end_ms;
}
