import { parseArgs } from 'node:util';
import { runFuzz } from '../test/fuzz/run-fuzz.ts';
import { buildWorker } from '../scripts/build-worker.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';

/**
 * `npm run fuzz` sends hostile requests to every route of the deployed bundle. `-- --seed 7 --requests 50000` for
 * another run, `-- --seed 7 --requests 50000 --only 123` for one request of it.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    requests: { type: 'string', default: '20000' },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed);
using temporary = makeTemporaryFolder('fuzz');
const bundle = temporary.path;
const begun_ms = Date.now();
console.log(`seed ${seed}`);
await buildWorker('', bundle);
const { requests, statuses, taken, violations } = await runFuzz({
  bundle,
  seed,
  requests: Number(values.requests),
  ...(values.only !== undefined && { only: Number(values.only) }),
  report: (line) => console.log(line),
});
console.log('answers below 400, by operation');
console.table(taken);
console.log('answers by status');
console.table(statuses);
console.log(`${requests} requests, ${Math.round((Date.now() - begun_ms) / 1_000)} s, seed ${seed}`);
for (const violation of violations.slice(0, 40)) console.error(`VIOLATION: ${violation}`);
if (violations.length > 0) process.exitCode = 1;
