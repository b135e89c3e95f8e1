import { defineConfig } from 'vitest/config';

/** The Python client against the deployed bundle: `npm run test:python`. It needs Python 3.11, which `npm test` does not. */
export default defineConfig({
  test: {
    include: ['clients/bureau-python/test/**/*.test.ts'],
    globalSetup: 'test/support/node/exchange/provide-worker-bundle.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    silent: 'passed-only',
  },
});
