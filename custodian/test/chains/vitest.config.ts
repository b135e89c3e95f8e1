import { defineConfig } from 'vitest/config';

/**
 * Tests against real nodes on loopback: `npm run test:chains`. One file after the other, since each has nodes of its
 * own.
 */
export default defineConfig({
  test: {
    include: ['custodian/test/chains/**/*.test.ts'],
    globalSetup: 'custodian/test/chains/find-nodes.ts',
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    silent: 'passed-only',
  },
});
