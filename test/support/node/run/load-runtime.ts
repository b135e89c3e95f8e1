import { mkdirSync } from 'node:fs';
import { TEST_SIGNER_KEY } from '../../addresses/pool-entries.ts';
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
import { listMigrations } from '../../../../scripts/ledgers/list-migrations.ts';

/** Starts a server that plays somebody, and returns its address. */
type Start = (play: () => Promise<PlayedServer>) => Promise<string>;

/** Where the venues answer: a server that plays them in their exact shapes. */
const venueVariables = (server: string) => ({ VENUE_SERVER: server, ...venueUrlVariables(server) });

const custodianVariables = (server: string) => ({ CUSTODIAN_SERVER: server, ...custodyVariables(server) });

const accessVariables = (server: string) => ({
  ACCESS_ISSUER: server,
  ACCESS_AUDIENCE: accessAudience,
  CONSOLE_ORIGIN: consoleOrigin,
});

/**
 * Who plays the world outside a runtime, and how the Worker is configured where that is not the sandbox of wrangler.toml.
 * A test file chooses by its first line, such as `// @runtime outside`.
 */
const runtimes = {
  sandbox: async () => ({}),
  /** Two venues, a custodian over HTTP, and Access. */
  outside: async (start: Start) => ({
    ...accessVariables(await start(startAccess)),
    ...custodianVariables(await start(startCustodian)),
    ...venueVariables(await start(startVenueServer)),
    PRICE_SOURCES: 'binance,kraken',
    CANDLE_SOURCES: 'binance',
  }),
  /** Six venues, a pool of Solana addresses, Access, and people who pay withdrawals by hand. */
  'outside-by-hand': async (start: Start) => ({
    ...accessVariables(await start(startAccess)),
    ...venueVariables(await start(startVenueServer)),
    PRICE_SOURCES: 'binance,okx,coinbase,kucoin,kraken,gate',
    CANDLE_SOURCES: 'binance,bybit,kucoin',
    SOLANA_ADDRESSES: 'pool',
    CUSTODY_SIGNER_KEY: TEST_SIGNER_KEY,
    CUSTODY_PROVIDER: 'manual',
  }),
  'three-ledgers': async (start: Start) => accessVariables(await start(startAccess)),
  'many-ledgers': async () => ({}),
} as const satisfies Record<string, (start: Start) => Promise<Record<string, string>>>;

/** Whether every test has three ledgers, with its accounts in all of them: `npm run test:ledgers`, and the simulation's. */
const hasThreeLedgers = process.env['TEST_LEDGERS'] === '3';

/** The runtimes of test files in workerd. */
export const runtimeNames = Object.keys(runtimes) as RuntimeName[];

export type RuntimeName = keyof typeof runtimes;

/** How many ledgers the exchange of a runtime has. */
function countLedgers(kind: RuntimeName): number {
  if (kind === 'many-ledgers') return process.env['TEST_LENGTH'] === 'long' ? 64 : 8;
  return kind === 'three-ledgers' || hasThreeLedgers ? 3 : 1;
}

/** The databases of all ledgers but the first, which wrangler.toml names. */
function describeFurther(ledgers: number): Record<string, string> {
  const further = Array.from({ length: ledgers - 1 }, (_, at) => at + 1);
  return Object.fromEntries(further.map((ledger) => [`DB_${ledger}`, `ledger-${ledger}`]));
}

/** Loads the plugin that runs test files in workerd with the bindings of wrangler.toml, one plugin for each project. */
export async function loadRuntime() {
  compressNothing();
  const { cloudflareTest } = await import('@cloudflare/vitest-pool-workers');
  // The runtime looks for the folder of `[assets]` as it starts, and unlike wrangler it makes nothing.
  mkdirSync(SITE_FOLDER, { recursive: true });
  // The source of the sandbox, which is bundled with the rest, imports it.
  writeSchema();
  // SQLite takes a text of many statements as one.
  const database = listMigrations('migrations').map(({ text }) => text);
  const bundled = bundleSource();
  return (kind: RuntimeName): Plugin[] => {
    const servers: PlayedServer[] = [];
    // Runs once for each runtime. Each has servers of its own, whose state no other file changes meanwhile.
    const plugin = cloudflareTest(async () => {
      const variables = await runtimes[kind](async (play) => {
        const server = await play();
        servers.push(server);
        return server.url;
      });
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
            ...variables,
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
