import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Operator } from '../../test/support/node/operator.ts';
import { startServedExchange } from '../../test/support/node/served-exchange.ts';
import { buildWorker } from '../build-worker.ts';

/** Where the configuration of the floors stands. */
const FLOORS_CONFIG = 'scripts/bench/floors/wrangler.toml';

/**
 * The Worker as deployed, with two things where the platform has them, in the memory of the machine: the count of
 * anonymous reads, which here is an object asked over HTTP, and the log, which here is laid out for a terminal by
 * JavaScript of the runtime's own. Both would be measured instead of the exchange. A line is still made, and copied as
 * a trace copies it.
 */
const COUNTING_ENTRY = 'counting-entry.js';
const COUNTING_SCRIPT = `import exchange from './index.js';
export * from './index.js';

console.log = (...values) => void JSON.stringify(values);

const counts = new Map();
const ANONYMOUS_READS = {
  async limit({ key }) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { success: true };
  },
};
let counting;

export default {
  fetch(request, bindings, context) {
    counting ??= { ...bindings, ANONYMOUS_READS };
    return exchange.fetch(request, counting, context);
  },
  scheduled: exchange.scheduled,
};
`;

const FUNDS = { USDT: '500000', BTC: '0.1' } as const;

/** A client of the exchange, and its counterpart of the floors. */
export interface BenchTrader {
  readonly token: string;
  readonly owner: string;
}

/** The exchange and the floors in one runtime, each with the same number of traders. */
export interface Stage {
  readonly exchange: string;
  readonly floors: string;
  readonly traders: readonly BenchTrader[];
  /** Where the exchange's bundle lies, and where its inspector listens if it is there to be profiled. */
  readonly bundle: string;
  readonly inspectorUrl: string | undefined;
  end(): Promise<void>;
}

/** How a stage is made ready. */
export interface StageOptions {
  readonly traders: number;
  /** Whether the exchange is there to be profiled: functions keep their names, and an inspector listens. */
  readonly profiled?: boolean;
}

/** Bundles both as they would be deployed, and starts them in one runtime, without a proxy in front. */
export async function openStage(directory: string, { traders, profiled = false }: StageOptions): Promise<Stage> {
  const bundle = join(directory, 'exchange');
  const floorsBundle = join(directory, 'floors');
  await buildWorker('', bundle, { keepsNames: profiled });
  writeFileSync(join(bundle, COUNTING_ENTRY), COUNTING_SCRIPT);
  await buildWorker('', floorsBundle, { config: FLOORS_CONFIG });
  const { default: workerd } = createRequire(import.meta.url)('workerd') as { default: string };
  const silenced = join(directory, 'workerd');
  writeFileSync(silenced, `#!/bin/sh\nexec '${workerd}' "$@" >/dev/null\n`, { mode: 0o755 });
  process.env['MINIFLARE_WORKERD_PATH'] = silenced;
  const served = await startServedExchange(
    {
      bundle,
      entry: COUNTING_ENTRY,
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
      end: () => served.stop(),
    };
  } catch (error) {
    await served.stop();
    throw error;
  }
}

async function openTraders(exchange: string, count: number): Promise<BenchTrader[]> {
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
