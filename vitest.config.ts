import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers';
import { defineConfig } from 'vitest/config';

/** Where the venues of the `venues` project answer: a server on loopback that plays them in their exact shapes. */
const venueUrls = (server: string) => ({ BINANCE_URL: `${server}/binance`, KRAKEN_URL: `${server}/kraken` });

/** One project is one configuration of the Worker, in workerd, with the bindings of wrangler.toml. */
function project(name: string, include: string[], variables: (venueServer: string) => Record<string, string>) {
  return {
    plugins: [
      cloudflareTest(async ({ inject }) => ({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: {
            MIGRATIONS: await readD1Migrations('migrations'),
            VENUE_SERVER: inject<string>('venueServer'),
            ...parseEnv(readFileSync('.dev.vars.example', 'utf8')),
            ...variables(inject<string>('venueServer')),
          },
        },
      })),
    ],
    test: {
      name,
      include,
      globalSetup: ['test/support/node/start-venue-server.ts'],
      // The server that plays the venues has one state.
      fileParallelism: name !== 'venues',
      setupFiles: ['test/support/apply-migrations.ts'],
      testTimeout: 30_000,
      hookTimeout: 30_000,
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      project('sandbox', ['test/**/*.test.ts', '!test/**/*.venues.test.ts'], () => ({})),
      project('venues', ['test/**/*.venues.test.ts'], (server) => ({
        ...venueUrls(server),
        PRICE_SOURCES: 'binance,kraken',
        CANDLE_SOURCES: 'binance',
        SOLANA_ADDRESSES: 'pool',
      })),
    ],
  },
});
