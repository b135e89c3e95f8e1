import { mkdtempDisposableSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { startExchange } from '../../test/support/node/exchange/start-exchange.ts';
import { buildWorker } from '../../scripts/build-worker.ts';

/** How often each request is sent before measuring and while measuring. */
const WARM = 300;
const MEASURED = 2_000;

/** The kernel counts CPU in hundredths of a second. */
const TICK_MS = 10;

export interface MeasuredTimes {
  readonly name: string;
  /** CPU time of the whole runtime: the Worker, its objects and D1. */
  readonly cpu_ms: number;
  /** Time from sending the request to the end of its answer, one request at a time. */
  readonly answer_ms: number;
}

const ORDER = JSON.stringify({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' });

/** Measures requests to the deployed bundle. It reads /proc, so it needs Linux. */
export async function measureTimes(): Promise<MeasuredTimes[]> {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'bureau-cost-'));
  const bundle = temporary.path;
  await buildWorker('', bundle);
  const exchange = await startExchange({
    bundle,
    site: false,
    rateLimits: { ANONYMOUS_READS: 1_000_000, ANONYMOUS_NETWORKS: 1_000_000 },
  });
  try {
    const [url = ''] = exchange.urls;
    const operator = new Operator(url);
    const token = await operator.createKey(await operator.openAccount({ USDT: '100000' }));
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const order = () =>
      fetch(`${url}/api/v1/orders`, {
        method: 'POST',
        headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
        body: ORDER,
      });
    const kinds: Record<string, () => Promise<Response>> = {
      'cached: tickers in the edge cache': () => fetch(`${url}/api/v1/markets/tickers`),
      'read: balances': () => fetch(`${url}/api/v1/wallet/balances`, { headers }),
      'write: order': order,
      'read: page of 50 orders': () => fetch(`${url}/api/v1/orders`, { headers }),
    };
    const times: MeasuredTimes[] = [];
    for (const [name, send] of Object.entries(kinds)) times.push({ name, ...(await measure(send)) });
    return times;
  } finally {
    await exchange.dispose();
  }
}

async function measure(send: () => Promise<Response>): Promise<Omit<MeasuredTimes, 'name'>> {
  await repeat(send, WARM);
  const [begun_ms, before] = [performance.now(), readTicks()];
  await repeat(send, MEASURED);
  const taken_ms = performance.now() - begun_ms;
  return { cpu_ms: ((readTicks() - before) * TICK_MS) / MEASURED, answer_ms: taken_ms / MEASURED };
}

async function repeat(send: () => Promise<Response>, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 1) {
    const response = await send();
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
  }
}

/** The CPU time so far of the runtimes that this process started, in ticks (proc(5), "stat"). */
function readTicks(): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((stat) => stat?.parent === process.pid)
    .reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0);
}

function readStat(pid: string): { readonly parent: number; readonly ticks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name is in parentheses and may hold any character, so read what comes after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}
