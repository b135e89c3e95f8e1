import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Miniflare, type V4WorkerOptionsShape, convertV4MiniflareOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { describeAccessGate } from './access-gate.ts';
import { type Bundles, CONSOLE_CONFIG } from './build-workers.ts';
import { describeLedgers } from './local-ledgers.ts';
import { MAILBOX, describeMailbox } from './mailbox.ts';
import { describeMigrator, migrate } from './migrate.ts';
import { CONSOLE, EXCHANGE } from './names.ts';
import type { Place } from './place.ts';
import type { LocalAccess } from './play-access.ts';

const READY_DEADLINE_MS = 60_000;
const READY_LOOK_MS = 100;

/** How often the platform fires the schedule (`crons` in wrangler.toml). The local runtime fires none by itself. */
const SCHEDULE_INTERVAL_MS = 60_000;
const SCHEDULE_PATH = '/cdn-cgi/local/scheduled';

/** How much of the log is shown when the exchange does not come up. */
const LAST_LINES = 20;

/** An exchange and its console, in one runtime. */
export interface RunningExchange {
  readonly runtime: Miniflare;
  /** Ends both. */
  stop(): Promise<void>;
}

/**
 * Serves both bundles in one runtime, the exchange on its port and the console on one of its own. They are bound to each
 * other here and not by wrangler's registry, in which a console could find another Bureau of this machine. What they log
 * goes to the log file. The exchange gets `variables`, its secrets among them, in place of those of wrangler.toml, and
 * those of `access`, which is played in front of the console. It has so many `ledgers`, more than in wrangler.toml
 * perhaps. Their databases are brought to this version's schema.
 */
export async function serve(
  place: Place,
  bundles: Bundles,
  access: LocalAccess,
  variables: Readonly<Record<string, string>>,
  ledgers = 1,
): Promise<RunningExchange> {
  // Wrangler's reading of a configuration would print which files it read.
  process.env['WRANGLER_LOG'] ??= 'error';
  const log = createWriteStream(place.logFile);
  const [exchange, holders] = [
    describeExchange(bundles.exchange, { ...access.variables, ...variables }, ledgers),
    describeConsole(bundles.console, place, variables),
  ];
  const databases = Object.fromEntries(
    [exchange, holders].flatMap(({ d1Databases = {} }) => Object.entries(d1Databases)),
  );
  const { compatibilityDate = '' } = holders;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: place.port,
      // Answers SCHEDULE_PATH.
      unsafeTriggerHandlers: true,
      // Where wrangler keeps it, so that its commands find the same data.
      resourcePersistencePath: join(place.storage, 'v3'),
      handleStructuredLogs: ({ message }) => void log.write(`${message}\n`),
      workers: [
        exchange,
        holders,
        describeAccessGate(CONSOLE, place.consolePort, access.answer, compatibilityDate),
        describeMailbox(place.mailFolder, compatibilityDate),
        describeMigrator(databases, compatibilityDate),
      ],
    }),
  );
  // Miniflare would end this process at a signal, before the runtime has closed its files.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeAllListeners(signal);
  await runtime.ready;
  await migrate(runtime, place, Object.keys(databases));
  return { runtime, stop: () => runtime.dispose() };
}

const readConfig = (config: string) => unstable_readConfig({ config });

/** The variables of the exchange: those of wrangler.toml, with others in their place. */
export function readVars(variables: Readonly<Record<string, string>>) {
  return { ...readConfig('wrangler.toml').vars, ...variables };
}

/** A Worker of its configuration's bindings, from a bundle, which is a single module. */
function describeWorker(config: string, bundle: string) {
  const settings: V4WorkerOptionsShape = unstable_getMiniflareWorkerOptions(readConfig(config)).workerOptions;
  return {
    ...settings,
    modules: [{ type: 'ESModule' as const, path: join(bundle, 'index.js') }],
    modulesRoot: bundle,
    modulesRules: undefined,
  };
}

function describeExchange(bundle: string, variables: Readonly<Record<string, string>>, ledgers: number) {
  const worker = describeWorker('wrangler.toml', bundle);
  return {
    ...worker,
    name: EXCHANGE,
    d1Databases: { ...describeLedgers(ledgers), ...Object.fromEntries(Object.entries(worker.d1Databases ?? {})) },
    bindings: readVars(variables),
  };
}

function describeConsole(
  bundle: string,
  { consoleOrigin, origin }: Place,
  variables: Readonly<Record<string, string>>,
) {
  const { vars } = readConfig(CONSOLE_CONFIG);
  const replaced = Object.entries(variables).filter(([name]) => Object.hasOwn(vars, name));
  // The mailbox takes the place of the platform's mail.
  const { email: _email, ...worker } = describeWorker(CONSOLE_CONFIG, bundle);
  return {
    ...worker,
    name: CONSOLE,
    bindings: { ...vars, ...Object.fromEntries(replaced), CONSOLE_ORIGIN: consoleOrigin, API_ORIGIN: origin },
    serviceBindings: {
      EXCHANGE,
      HOLDERS: { name: EXCHANGE, entrypoint: 'HolderEntrypoint' },
      EMAIL: MAILBOX,
    },
  };
}

/** Resolves when the exchange answers. Throws with the end of its log when it does not. */
export async function waitUntilReady({ origin, logFile }: Place): Promise<void> {
  const deadline_ms = Date.now() + READY_DEADLINE_MS;
  while (Date.now() < deadline_ms) {
    const isReady = await fetch(`${origin}/api/v1/markets/tickers`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, READY_LOOK_MS));
  }
  const end = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  throw new Error(`the exchange does not answer. The end of ${logFile}:\n${end}`);
}

export async function fireSchedule(origin: string, worker: string): Promise<void> {
  // Miniflare's own header for one Worker of several.
  await fetch(`${origin}${SCHEDULE_PATH}`, { headers: { 'MF-Route-Override': worker } });
}

/** Fires the schedule now and every minute, as the platform does, so that the ledger is reconciled here as well. */
export function keepSchedule({ origin }: Place): NodeJS.Timeout {
  const fire = () => {
    for (const worker of [EXCHANGE, CONSOLE]) {
      fireSchedule(origin, worker).catch((error: unknown) => console.error('the schedule was not fired:', error));
    }
  };
  fire();
  return setInterval(fire, SCHEDULE_INTERVAL_MS);
}
