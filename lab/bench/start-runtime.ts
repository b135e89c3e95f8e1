import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { buildWorker } from '../../scripts/build-worker.ts';
import { writeCountingEntry } from './counting-entry.ts';
import { writePlatformEntry } from './platform-entry.ts';

const FLOORS_CONFIG = 'lab/bench/floors/wrangler.toml';

const FUNDS = { USDT: '500000', BTC: '0.1' } as const;

/** A client of the exchange, and the owner whose rows it uses at the floors. */
export interface BenchTrader {
  readonly token: string;
  readonly owner: string;
}

/** The exchange and the floors in one runtime, each with the same number of traders. */
export interface BenchRuntime extends AsyncDisposable {
  readonly exchange: string;
  readonly floors: string;
  readonly traders: readonly BenchTrader[];
  /** The folder of the exchange's bundle, and the address of its inspector if it is profiled. */
  readonly bundle: string;
  readonly inspectorUrl: string | undefined;
}

export interface RuntimeOptions {
  readonly traders: number;
  /** Whether the exchange can be profiled: functions keep their names, and an inspector listens. */
  readonly profiled?: boolean;
  /** Whether the exchange has the platform's time: see platform-entry.ts. */
  readonly platform?: boolean;
}

export interface BenchBundle {
  readonly bundle: string;
  readonly entry: string;
}

/** Bundles the exchange as it would be deployed. Runtimes that are started after this print nothing. */
export async function buildExchange(directory: string, keepsNames = false): Promise<BenchBundle> {
  const bundle = join(directory, 'exchange');
  await buildWorker('', bundle, { keepsNames });
  const { default: workerd } = createRequire(import.meta.url)('workerd') as { default: string };
  const silenced = join(directory, 'workerd');
  writeFileSync(silenced, `#!/bin/sh\nexec '${workerd}' "$@" >/dev/null\n`, { mode: 0o755 });
  process.env['MINIFLARE_WORKERD_PATH'] = silenced;
  return { bundle, entry: writeCountingEntry(bundle) };
}

/** Bundles the exchange and the floors as they would be deployed, and starts both in one runtime without a proxy. */
export async function startBenchRuntime(
  directory: string,
  { traders, profiled = false, platform = false }: RuntimeOptions,
): Promise<BenchRuntime> {
  const { bundle, entry: counting } = await buildExchange(directory, profiled);
  const entry = platform ? writePlatformEntry(bundle) : counting;
  const floorsBundle = join(directory, 'floors');
  await buildWorker('', floorsBundle, { config: FLOORS_CONFIG });
  const served = await startServedExchange(
    {
      bundle,
      entry,
      neighbour: { config: FLOORS_CONFIG, bundle: floorsBundle },
      storage: join(directory, 'storage'),
      site: false,
      ...(profiled && { inspectorPort: 0 }),
    },
    false,
  );
  try {
    const floors = served.neighbourUrl ?? '';
    const opened = await openTraders(served.url, traders);
    await prepareFloors(floors, opened);
    return {
      exchange: served.url,
      floors,
      traders: opened,
      bundle,
      inspectorUrl: served.inspectorUrl,
      [Symbol.asyncDispose]: () => served.stop(),
    };
  } catch (error) {
    await served.stop();
    throw error;
  }
}

export async function openTraders(exchange: string, count: number): Promise<BenchTrader[]> {
  const operator = new Operator(exchange);
  const traders: BenchTrader[] = [];
  for (let index = 0; index < count; index += 1) {
    const accountId = await operator.openAccount(FUNDS);
    await operator.operate('PATCH', `/accounts/${accountId}`, { dailyWithdrawalLimit: FUNDS.USDT });
    traders.push({ token: await operator.createKey(accountId), owner: `trader-${index}` });
  }
  return traders;
}

async function prepareFloors(floors: string, traders: readonly BenchTrader[]): Promise<void> {
  const body = JSON.stringify(traders.map(({ owner }) => owner));
  const prepared = await fetch(`${floors}/prepare`, { method: 'POST', body });
  if (!prepared.ok) throw new Error(`the floors: ${prepared.status} ${await prepared.text()}`);
}
