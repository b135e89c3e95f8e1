import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineConfig } from 'vitest/config';
import { SITE_FOLDER, writeSite } from './scripts/site/write-site.ts';
import { venues } from './src/money/venue-symbols.ts';
import { custodianKey } from './test/support/node/start-custodian.ts';

/** Where the venues answer: a server on loopback that plays them in their exact shapes, one for each project. */
const venueUrls = (server: string) =>
  Object.fromEntries(venues.map((name) => [`${name.toUpperCase()}_URL`, `${server}/${name}`]));

/** The configuration that has the reference custodian pay. */
const custodianVariables = (server: string) => ({
  CUSTODY_PROVIDER: 'http',
  CUSTODY_URL: server,
  CUSTODY_KEY_ID: custodianKey.id,
  CUSTODY_SECRET: custodianKey.secret,
});

/** The servers on loopback that play the world outside. */
interface Servers {
  readonly venueServer: string;
  readonly custodian: string;
}

// The runtime looks for the folder of `[assets]` as it starts, and unlike wrangler it makes nothing.
writeSite();

/** One project is one configuration of the Worker, in workerd, with the bindings of wrangler.toml. */
function project(name: string, include: string[], variables: (servers: Servers) => Record<string, string>) {
  return {
    plugins: [
      cloudflareTest(async ({ inject }) => ({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          // The platform's own server of the site, which the Worker itself has no need to reach.
          assets: { binding: 'SITE', directory: SITE_FOLDER },
          bindings: {
            MIGRATIONS: await readD1Migrations('migrations'),
            VENUE_SERVER: inject<string>('venueServer'),
            CUSTODIAN_SERVER: inject<string>('custodianServer'),
            SIMULATION_SEED: process.env['SIMULATION_SEED'] ?? '1',
            SIMULATION_STEPS: process.env['SIMULATION_STEPS'] ?? '600',
            GROWTH_ROWS: process.env['GROWTH_ROWS'] ?? '1000000',
            ...parseEnv(readFileSync('.dev.vars.example', 'utf8')),
            ...variables({ venueServer: inject<string>('venueServer'), custodian: inject<string>('custodianServer') }),
          },
        },
      })),
    ],
    test: {
      name,
      include,
      globalSetup: ['test/support/node/start-venue-server.ts', 'test/support/node/start-custodian.ts'],
      setupFiles: ['test/support/apply-migrations.ts'],
      testTimeout: 30_000,
      hookTimeout: 30_000,
    },
  };
}

/**
 * A project for every file that ends so: the servers that play the world outside have one state each, and with servers
 * of its own a file need not wait for the others. Their name has them begin first, since they wait more than they work.
 */
function projectsOf(kind: string, variables: (servers: Servers) => Record<string, string>) {
  const ending = `.${kind}.test.ts`;
  return globSync(`test/**/*${ending}`).map((file) =>
    project(`outside/${kind}/${basename(file, ending)}`, [file], variables),
  );
}

/**
 * Tests outside the runtime, which start the deployed bundle in it: see test/support/node/start-exchange.ts. They load
 * the machine as traffic does, so they run when all others are done, and one file after the other.
 */
const node = {
  test: {
    name: 'node',
    include: ['test/**/*.node.test.ts'],
    globalSetup: 'test/support/node/provide-worker-bundle.ts',
    sequence: { groupOrder: 1 },
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
};

/** The custodian's pure parts, in Node: its signer and its states. What needs nodes of real chains is `npm run test:chains`. */
const custodianParts = { test: { name: 'custodian', include: ['custodian/test/pure/**/*.test.ts'] } };

export default defineConfig({
  test: {
    // Every request writes a line; those of tests that pass are no news.
    silent: 'passed-only',
    // Two cores have a third file to start while two others wait for a server or the clock.
    maxWorkers: 3,
    projects: [
      project('sandbox', ['test/**/*.test.ts', '!test/**/*.{venues,six-venues,custody,node}.test.ts'], () => ({})),
      ...projectsOf('custody', ({ custodian }) => custodianVariables(custodian)),
      ...projectsOf('venues', ({ venueServer }) => ({
        ...venueUrls(venueServer),
        PRICE_SOURCES: 'binance,kraken',
        CANDLE_SOURCES: 'binance',
        SOLANA_ADDRESSES: 'pool',
      })),
      ...projectsOf('six-venues', ({ venueServer }) => ({
        ...venueUrls(venueServer),
        PRICE_SOURCES: 'binance,okx,coinbase,kucoin,kraken,gate',
        CANDLE_SOURCES: 'binance,bybit,kucoin',
      })),
      custodianParts,
      node,
    ],
  },
});
