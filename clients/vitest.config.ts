import { defineConfig } from 'vitest/config';

/**
 * The clients of all languages, and the guides' lines for them, against the deployed bundle: `npm run test:clients`. The
 * Python client needs Python 3.11, which `npm test` does not.
 */
export default defineConfig({
  test: {
    include: ['clients/*/test/**/*.test.ts'],
    globalSetup: 'test/support/node/exchange/provide-worker-bundle.ts',
    // They mostly wait for servers and the clock.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    silent: 'passed-only',
  },
});
