import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildWorker } from './build-worker.ts';
import { runWithdrawals } from './chains/run-withdrawals.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run test:withdrawals` has the deployed bundle and the real custodian pay 200 withdrawals on real nodes and on
 * played ones of Tron and Solana, and compares ledger, chains and custodian with each other. `-- --count 12` is
 * a shorter run. Exits with 1 on any difference.
 */

const { values } = parseArgs({ options: { count: { type: 'string', default: '200' } } });
using temporary = makeTemporaryFolder('withdrawals');
const directory = temporary.path;
const bundle = join(directory, 'bundle');
await buildWorker('', bundle);
const { violations, ...figures } = await runWithdrawals({
  bundle,
  folder: join(directory, 'custodian'),
  count: Number(values.count),
  report: (line) => console.log(line),
});
console.table(figures);
for (const violation of violations.slice(0, 20)) console.error(`VIOLATION: ${violation}`);
if (violations.length > 0) process.exitCode = 1;
