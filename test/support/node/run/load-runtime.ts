import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { SITE_FOLDER } from '../../../../scripts/site/site-folder.ts';
import { writeSchema } from '../../../../scripts/site/write-schema.ts';
import type { Plugin } from 'vitest/config';
import { accessAudience, consoleOrigin, startAccess } from '../access/start-access.ts';
import { custodyVariables, startCustodian } from '../custody/start-custodian.ts';
import { startVenueServer } from '../venues/start-venue-server.ts';
import { venueUrlVariables } from '../venues/venue-remote.ts';
import { bundleSource } from './bundle-source.ts';
import { compressNothing } from './compress-nothing.ts';
import type { PlayedServer } from './serve-on-loopback.ts';
import { publicSecrets } from '../../../../src/public-secrets.ts';

/** Where the venues answer: a server that plays them in their exact shapes. */
const venueVariables = (server: string) => ({ VENUE_SERVER: server, ...venueUrlVariables(server) });

const accessVariables = (server: string) => ({
  ACCESS_ISSUER: server,
  ACCESS_AUDIENCE: accessAudience,
  CONSOLE_ORIGIN: consoleOrigin,
});

/** Who plays the world outside, by the kind of the Worker. The others need nobody. */
const serverStarts: Partial<Record<string, () => Promise<PlayedServer>>> = {
  custody: startCustodian,
  access: startAccess,
  manual: startAccess,
  'three-ledgers': startAccess,
  venues: startVenueServer,
  'six-venues': startVenueServer,
};

/** How the Worker is configured, by kind, where the sandbox of wrangler.toml is not what is tested. */
const workerVariables = {
  sandbox: () => ({}),
  'many-ledgers': () => ({}),
  'three-ledgers': accessVariables,
  custody: (server: string) => ({ CUSTODIAN_SERVER: server, ...custodyVariables(server) }),
  access: accessVariables,
  manual: (server: string) => ({ ...accessVariables(server), CUSTODY_PROVIDER: 'manual' }),
  venues: (server: string) => ({
    ...venueVariables(server),
    PRICE_SOURCES: 'binance,kraken',
    CANDLE_SOURCES: 'binance',
    SOLANA_ADDRESSES: 'pool',
  }),
  'six-venues': (server: string) => ({
    ...venueVariables(server),
    PRICE_SOURCES: 'binance,okx,coinbase,kucoin,kraken,gate',
    CANDLE_SOURCES: 'binance,bybit,kucoin',
  }),
} as const satisfies Record<string, (server: string) => Record<string, string>>;

/** Whether every test has three ledgers, with its accounts in all of them: `npm run test:ledgers`, and the simulation's. */
const hasThreeLedgers = process.env['TEST_LEDGERS'] === '3';

/** A configuration of the Worker that tests run under. */
export type WorkerKind = keyof typeof workerVariables;

/** How many ledgers an exchange of a kind has. */
function countLedgers(kind: WorkerKind): number {
  if (kind === 'many-ledgers') return process.env['TEST_LENGTH'] === 'long' ? 64 : 8;
  return kind === 'three-ledgers' || hasThreeLedgers ? 3 : 1;
}

/** The databases of all ledgers but the first, which wrangler.toml names. */
function describeFurther(ledgers: number): Record<string, string> {
  const further = Array.from({ length: ledgers - 1 }, (_, at) => at + 1);
  return Object.fromEntries(further.map((ledger) => [`DB_${ledger}`, `ledger-${ledger}`]));
}

/** The migrations of a ledger, each as one text: SQLite takes a text of many statements as one. */
function readMigrations(): string[] {
  const names = readdirSync('migrations').toSorted();
  return names.map((name) => readFileSync(`migrations/${name}`, 'utf8'));
}

/** Loads the plugin that runs test files in workerd with the bindings of wrangler.toml, one plugin for each project. */
export async function loadRuntime() {
  compressNothing();
  const { cloudflareTest } = await import('@cloudflare/vitest-pool-workers');
  // The runtime looks for the folder of `[assets]` as it starts, and unlike wrangler it makes nothing.
  mkdirSync(SITE_FOLDER, { recursive: true });
  // The source of the sandbox, which is bundled with the rest, imports it.
  writeSchema();
  const database = readMigrations();
  const bundled = bundleSource();
  return (kind: WorkerKind): Plugin[] => {
    const servers: PlayedServer[] = [];
    // Runs once for each runtime. Each has a server of its own, whose state no other file changes meanwhile.
    const plugin = cloudflareTest(async () => {
      const server = await serverStarts[kind]?.();
      if (server) servers.push(server);
      return {
        // Production's own entry: what the sandbox adds is tested from outside.
        main: './src/index.ts',
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          // The platform's own server of the site, which the Worker itself has no need to reach.
          assets: { binding: 'SITE', directory: SITE_FOLDER },
          d1Databases: describeFurther(countLedgers(kind)),
          bindings: {
            DATABASE_TEXTS: database,
            TEST_LEDGERS: hasThreeLedgers ? '3' : '1',
            TEST_LENGTH: process.env['TEST_LENGTH'] ?? 'short',
            SIMULATION_SEED: process.env['SIMULATION_SEED'] ?? '1',
            SIMULATION_STEPS: process.env['SIMULATION_STEPS'] ?? '200',
            GROWTH_ROWS: process.env['GROWTH_ROWS'] ?? '100000',
            // In place of a developer's own in .dev.vars.
            ...publicSecrets,
            // A fill at the market's own price is easier to foretell.
            SPREAD_BPS: '0',
            ...workerVariables[kind](server?.url ?? ''),
          },
        },
      };
    });
    return [bundled(), plugin, tellWhatIsPrinted(), stopAtEnd(servers)];
  };
}

/** Tells the files whether the logs of passed tests are wanted (test/support/runtime/hold-logs.ts). */
function tellWhatIsPrinted(): Plugin {
  return {
    name: 'tell-what-is-printed',
    configureVitest: ({ vitest, project }) =>
      project.provide('printedLogs', vitest.config.silent === 'passed-only' ? 'of failed tests' : 'all'),
  };
}

/** Ends servers when the run is over. */
function stopAtEnd(servers: readonly PlayedServer[]): Plugin {
  return {
    name: 'stop-played-servers',
    configureVitest: ({ vitest }) =>
      vitest.onClose(async () => void (await Promise.all(servers.map(({ stop }) => stop())))),
  };
}
