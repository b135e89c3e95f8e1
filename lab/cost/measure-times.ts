import { Operator } from '../../test/support/node/exchange/operator.ts';
import { startExchange } from '../../test/support/node/exchange/start-exchange.ts';
import { buildWorker } from '../../scripts/build-worker.ts';
import { readCpu_ms } from '../read-runtimes.ts';
import { makeTemporaryFolder } from '../../scripts/temporary-folder.ts';

/** How often each request is sent before measuring and while measuring. */
const WARM = 300;
const MEASURED = 2_000;

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
  using temporary = makeTemporaryFolder('cost');
  const bundle = temporary.path;
  await buildWorker('', bundle);
  await using exchange = await startExchange({
    bundle,
    site: false,
    rateLimits: { ANONYMOUS_READS: 1_000_000, ANONYMOUS_NETWORKS: 1_000_000 },
  });
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
}

async function measure(send: () => Promise<Response>): Promise<Omit<MeasuredTimes, 'name'>> {
  await repeat(send, WARM);
  const [begun_ms, before] = [performance.now(), readCpu_ms()];
  await repeat(send, MEASURED);
  const taken_ms = performance.now() - begun_ms;
  return { cpu_ms: (readCpu_ms() - before) / MEASURED, answer_ms: taken_ms / MEASURED };
}

async function repeat(send: () => Promise<Response>, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 1) {
    const response = await send();
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
  }
}
