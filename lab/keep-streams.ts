import { setTimeout as sleep } from 'node:timers/promises';
import { buildWorker } from '../scripts/build-worker.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { startExchange } from '../test/support/node/exchange/start-exchange.ts';
import { forkVenues } from '../test/support/node/venues/fork-venues.ts';
import { VenueRemote, allVenuesByStreams } from '../test/support/node/venues/venue-remote.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run test:streams` opens the streams with an order, calls nobody for ten minutes, and sends another order. It fails
 * when a venue was polled for that: the hub was evicted then, or had lost its sockets. `-- --minutes 1` is shorter.
 */

const { minutes } = readOptions({ minutes: 10 });

/** How often an order may find the streams not open yet. */
const TRIES = 50;

using temporary = makeTemporaryFolder('streams');
await buildWorker('', temporary.path);
await using played = await forkVenues();
const venues = new VenueRemote(played.url);
await using exchange = await startExchange({
  bundle: temporary.path,
  site: false,
  variables: allVenuesByStreams(played.url),
});
const trader = await new Operator(exchange.urls[0] ?? '').openClient({ USDT: '1000' });

/** Whether an order fills, and no venue is polled for it. */
const isByStreams = async () => {
  const before = JSON.stringify(await venues.count());
  const { status } = await trader.order({ value: '10' });
  return status === 201 && JSON.stringify(await venues.count()) === before;
};

let tries = 1;
while (!(await isByStreams())) if ((tries += 1) > TRIES) throw new Error('the streams do not open');
console.log(`the streams are open after ${tries} orders; nobody calls for ${minutes} min`);
await sleep(minutes * 60_000);
if (await isByStreams()) console.log('the next order filled by streams: the hub was kept, with its sockets');
else {
  console.error('the next order was not filled by streams alone');
  process.exitCode = 1;
}
