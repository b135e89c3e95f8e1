import { join } from 'node:path';
import { runKills } from '../test/kills/run-kills.ts';
import { buildWorker } from '../scripts/build-worker.ts';
import { startBridgedCustodian } from '../scripts/chains/bridge-custodian.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';
import { forkVenues } from '../test/support/node/venues/fork-venues.ts';
import { allVenuesByStreams } from '../test/support/node/venues/venue-remote.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run test:kills` kills the deployed bundle under load, again and again, and checks that it keeps everything that
 * it acknowledged to its clients. `-- --seed 7 --kills 50` is another run; with `-- --ledgers 3` the accounts are divided
 * among three ledgers and pay each other, with `-- --custodian real` the real custodian pays, on real nodes, and with
 * `-- --venues streams` orders wait for the streams of played venues.
 */

const defaults = { seed: Date.now() % 1_000_000, kills: 20, ledgers: 1, custodian: 'played', venues: 'sandbox' };
const { seed, kills, ledgers, custodian, venues } = readOptions(defaults);
const played = venues === 'streams' ? await forkVenues() : undefined;
using temporary = makeTemporaryFolder('kills');
const directory = temporary.path;
const begun_ms = Date.now();
console.log(`seed ${seed}`);
await buildWorker('', join(directory, 'bundle'));
const { violations, ...figures } = await runKills({
  bundle: join(directory, 'bundle'),
  storage: join(directory, 'storage'),
  seed,
  kills,
  ledgers,
  longestLife_ms: 4_000,
  leastAcknowledged: 0,
  awaitSweep: true,
  ...(custodian === 'real' && { startCustodian: startBridgedCustodian }),
  ...(played && { variables: allVenuesByStreams(played.url) }),
  report: (line) => console.log(line),
});
await played?.stop();
console.table(figures);
console.log(`${Math.round((Date.now() - begun_ms) / 1_000)} s, seed ${seed}`);
for (const violation of violations.slice(0, 20)) console.error(`VIOLATION: ${violation}`);
if (violations.length > 0) {
  console.error(`${violations.length} violations after ${figures.kills} kills`);
  process.exitCode = 1;
}
