/** A step of `npm run verify`. */
export interface Step {
  readonly name: string;
  /** A line for the shell, run at the top of the project. */
  readonly command: string;
}

/**
 * All that takes too long for every change. A step that needs more than Node and npm fails with a line that says what is
 * missing: Chromium for those with a browser, `promtool` (Debian's `prometheus`) for the alerts, Debian's `mypy` for the
 * types in Python. The nodes of the chains are fetched and unpacked by their tests.
 */
export const steps: readonly Step[] = [
  { name: 'long', command: 'npm run test:long' },
  { name: 'ledgers', command: 'npm run test:ledgers' },
  { name: 'simulate', command: 'npm run simulate -- --seeds 20' },
  { name: 'simulate-ledgers', command: 'npm run simulate -- --seeds 20 --ledgers 3' },
  { name: 'kills', command: 'npm run test:kills -- --kills 8' },
  { name: 'kills-streams', command: 'npm run test:kills -- --kills 20 --venues streams' },
  { name: 'streams', command: 'npm run test:streams' },
  { name: 'watching', command: 'npm run test:watching' },
  { name: 'kills-ledgers', command: 'npm run test:kills -- --kills 8 --ledgers 3' },
  { name: 'venue', command: 'npm run start:venue -- --orders 200 --kills 10' },
  { name: 'venue-control', command: '! npm run start:venue -- --orders 200 --kills 3 --control new-id' },
  { name: 'backup', command: 'npm run test:backup' },
  { name: 'backup-ledgers', command: 'npm run test:backup -- --ledgers 3' },
  { name: 'going-live', command: 'npm run test:going-live' },
  { name: 'release', command: 'npm run test:release' },
  { name: 'upgrade', command: 'npm run test:upgrade' },
  { name: 'fuzz', command: 'npm run fuzz' },
  { name: 'growth', command: 'npm run growth' },
  { name: 'flood', command: 'npm run flood' },
  { name: 'flood-orders', command: 'npm run flood:orders' },
  { name: 'arbitrage', command: 'npm run arbitrage' },
  { name: 'alerts', command: 'promtool check rules docs/alerts.yml && promtool test rules docs/alerts.test.yml' },
  { name: 'python-types', command: 'cd clients/bureau-python && /usr/bin/mypy' },
  { name: 'start', command: 'npm run test:start' },
  { name: 'browser', command: 'npm run test:browser' },
  { name: 'console', command: 'npm run test:console' },
  { name: 'chains', command: 'npm run test:chains' },
  { name: 'start-chains', command: 'npm run test:start-chains' },
  { name: 'withdrawals', command: 'npm run test:withdrawals -- --count 24' },
  { name: 'kills-custodian', command: 'npm run test:kills -- --custodian real --kills 3' },
  { name: 'mutate', command: 'npm run mutate' },
];
