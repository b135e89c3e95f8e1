import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { invariants } from '../../src/ledger/reconciliation/invariants.ts';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { buildWorker } from '../build-worker.ts';
import { type Latencies, OrderLoad } from './order-load.ts';
import { plantFaults } from './plant-faults.ts';
import { openLedgerFile, writeLedger } from './write-ledger.ts';

/** Options of the measurement. */
export interface PassOptions {
  readonly orders: number;
  /** Orders per second during the pass, at most. If half of what the machine can do is less, that is used. */
  readonly perSecond: number;
  /** How long orders are measured without a pass, before it and after it. */
  readonly calm_ms: number;
}

/** The times of a pass over a large ledger, and of the orders during it. */
export interface MeasuredPass {
  readonly accounts: number;
  readonly bytes: number;
  readonly most: number;
  readonly perSecond: number;
  /** The time from the keeper's first waking, with nothing read, to the end of its first pass. */
  readonly first_ms: number;
  /** The pass alone, without the new transfers that are read before it. */
  readonly pass_ms: number;
  readonly beside: Latencies;
  readonly calm: readonly Latencies[];
  /** The reconciliation that the operator sees after it. */
  readonly status: string;
  /** The pass after every invariant was broken, with orders until trading is halted. */
  readonly planted_ms: number;
  readonly broken: readonly string[];
  readonly missed: readonly string[];
}

/** The members of the reconciliation that are read here. */
interface Reconciliation {
  readonly status: string;
  readonly invariants: readonly { readonly name: string; readonly status: string }[];
  readonly lastPass: { readonly pass: number; readonly startedAt: string; readonly completedAt: string } | null;
  readonly progress: { readonly transfersRead: string; readonly walks: Readonly<Record<string, string>> };
}

const TRADERS = 32;

/** How often the schedule wakes the keeper. */
const MINUTE_MS = 60_000;
const LOOK_MS = 1_000;

/** How often the progress of the pass is printed. */
const TELL_MS = 30_000;

/** Writes a ledger with many orders, and lets the keeper check it as in production, while orders are placed. */
export async function measurePass({ orders, perSecond, calm_ms }: PassOptions): Promise<MeasuredPass> {
  const directory = mkdtempSync(join(tmpdir(), 'bureau-growth-'));
  const bundle = join(directory, 'bundle');
  const storage = join(directory, 'storage');
  const start = () => startServedExchange({ bundle, storage, site: false }, false);
  try {
    await buildWorker('', bundle);
    // The migrations make the file.
    await (await start()).stop();
    const { accounts, bytes } = fillLedger(storage, orders);
    say(`written: ${accounts} accounts, ${bytes} bytes`);
    const clean = await run(await start(), async (exchange) => {
      const operator = new Operator(exchange.url);
      const tokens = await openTraders(operator);
      const load = new OrderLoad(exchange.url, tokens);
      const most = await load.findMost(16, calm_ms / 4);
      const rate = Math.min(perSecond, Math.floor(most / 2));
      say(`the machine takes ${most.toFixed(0)} orders a second; ${rate} are sent`);
      const before = await load.send(rate, elapsed(calm_ms));
      const pass = await watchPass(exchange, operator, load, rate);
      const after = await load.send(rate, elapsed(calm_ms));
      await load.close();
      return { ...pass, tokens, most, perSecond: rate, calm: [before, after] };
    });
    say(`clean: ${clean.found.status}`);
    const planted = openLedgerFile(storage);
    plantFaults(planted);
    planted.close();
    const faulty = await run(await start(), async (exchange) => {
      const load = new OrderLoad(exchange.url, clean.tokens);
      const pass = await watchPass(exchange, new Operator(exchange.url), load, clean.perSecond);
      await load.close();
      return pass;
    });
    const broken = faulty.found.invariants.filter(({ status }) => status === 'broken').map(({ name }) => name);
    return {
      ...clean,
      status: clean.found.status,
      accounts,
      bytes,
      planted_ms: faulty.first_ms,
      broken,
      missed: invariants.filter((name) => !broken.includes(name)),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function fillLedger(storage: string, orders: number): { accounts: number; bytes: number } {
  const file = openLedgerFile(storage);
  const accounts = writeLedger(file, orders);
  const bytes = file.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get();
  file.close();
  return { accounts, bytes: Number(bytes?.['bytes']) };
}

async function run<T>(exchange: ServedExchange, act: (exchange: ServedExchange) => Promise<T>): Promise<T> {
  try {
    return await act(exchange);
  } finally {
    await exchange.stop();
  }
}

async function openTraders(operator: Operator): Promise<string[]> {
  const tokens: string[] = [];
  for (let opened = 0; opened < TRADERS; opened += 1) {
    tokens.push(await operator.createKey(await operator.openAccount({ USDT: '10000', BTC: '0.1' })));
  }
  return tokens;
}

interface WatchedPass {
  readonly first_ms: number;
  readonly pass_ms: number;
  readonly beside: Latencies;
  readonly found: Reconciliation;
}

/** Wakes the keeper as the schedule does, every minute, and sends orders until the next pass has ended. */
async function watchPass(
  { probe }: ServedExchange,
  operator: Operator,
  load: OrderLoad,
  perSecond: number,
): Promise<WatchedPass> {
  const read = async () =>
    (await operator.operate<{ reconciliation: Reconciliation }>('GET', '/reconciliation')).reconciliation;
  const before = (await read()).lastPass?.pass ?? 0;
  const begun_ms = Date.now();
  if (before > 0) await operator.operate('POST', '/reconciliation/run');
  let found: Reconciliation | undefined;
  const watch = async () => {
    let [woken_ms, told_ms] = [0, 0];
    for (;;) {
      if (Date.now() - woken_ms >= MINUTE_MS) {
        await probe.schedule();
        woken_ms = Date.now();
      }
      await sleep(LOOK_MS);
      const now = await read();
      if (Date.now() - told_ms >= TELL_MS) {
        say(`transfers read: ${now.progress.transfersRead}, pass: ${JSON.stringify(now.progress.walks)}`);
        told_ms = Date.now();
      }
      if ((now.lastPass?.pass ?? 0) > before) return now;
    }
  };
  const watching = watch().then((now) => (found = now));
  const beside = await load.send(perSecond, () => found !== undefined);
  const last = await watching;
  const [startedAt, completedAt] = [last.lastPass?.startedAt ?? '', last.lastPass?.completedAt ?? ''];
  return {
    first_ms: Date.parse(completedAt) - begun_ms,
    pass_ms: Date.parse(completedAt) - Date.parse(startedAt),
    beside,
    found: last,
  };
}

function elapsed(time_ms: number): () => boolean {
  const end_ms = Date.now() + time_ms;
  return () => Date.now() >= end_ms;
}

function say(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}
