import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { buildWorker } from '../scripts/build-worker.ts';
import { git, inCommit, newestRelease } from '../scripts/releases.ts';
import { Clerk, type Entry } from '../test/kills/clerk.ts';
import type { Client } from '../test/support/client.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import type { Probe } from '../test/support/node/exchange/probe.ts';
import { readConfiguredWorker } from '../test/support/node/exchange/read-configured-worker.ts';
import { startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { startExchange } from '../test/support/node/exchange/start-exchange.ts';
import { findFaults } from './flood/find-faults.ts';
import { writeFloodedEntry } from './flood/flooded-entry.ts';
import { openTraders, placeUntilDecided, sendSteadily } from './traders.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';

/**
 * `npm run test:upgrade` has 50 orders a second placed while an older bundle is replaced by this one's on the same
 * storage, killed and started again, and then by the older one as at a rollback. Apart from that it runs both bundles at
 * once over the same objects, the older one's and then this one's, so that old code calls new objects and new code old
 * ones. Fails unless every order is in the ledger once, with the answer that its client got, and none got a 500.
 *
 * Both bundles have the variables of both configurations, since a deployed version keeps its own.
 *
 * The older bundle is that of `--from COMMIT`: the last release, or without one the oldest commit with this schema, since
 * a schema that was not released is changed in place.
 */

const { values } = parseArgs({
  options: { from: { type: 'string' }, seconds: { type: 'string', default: '15' } },
});
const phase_ms = Number(values.seconds) * 1_000;
const TRADERS = 24;
const PER_SECOND = 50;
const RETRY_PAUSE_MS = 250;
/** How long a client may repeat an order after the last phase. */
const PATIENCE_MS = 120_000;

/** The commit of the older bundle. Throws when its schema is another one and was never released. */
function chooseCommit(): string {
  const release = newestRelease();
  const commit = values.from ?? release ?? git('log', '-1', '--format=%h', '--', 'migrations');
  console.log(`from ${git('log', '-1', '--format=%h %s', commit)}`);
  if (commit !== release && git('diff', '--stat', commit, '--', 'migrations') !== '') {
    throw new Error('it has another schema, which was changed in place since');
  }
  return commit;
}

/** Clients that place orders at a steady rate, at one address after the other, and repeat each until it is decided. */
class Traders {
  readonly #clerk = new Clerk();
  #clients: readonly Client[] = [];
  #orders: Promise<unknown> = Promise.resolve();
  urls: readonly string[] = [];
  #end_ms = Infinity;

  async begin(urls: readonly string[]): Promise<void> {
    this.urls = urls;
    this.#clients = await openTraders(new Operator(urls[0] ?? ''), TRADERS, { USDT: '100000', BTC: '1' });
  }

  /** Places orders while `act` goes on. */
  async during(act: () => Promise<void>): Promise<void> {
    let isDone = false;
    this.#orders = sendSteadily(
      PER_SECOND,
      () => isDone,
      (index) => this.#place(index),
    );
    try {
      await act();
    } finally {
      isDone = true;
    }
  }

  /** Waits for every answer, asks for each once more, and says what is wrong. */
  async settle(probe: Probe): Promise<string[]> {
    this.#end_ms = Date.now() + PATIENCE_MS;
    await this.#orders;
    const { entries, figures, violations } = this.#clerk;
    const faults = await findFaults(probe, this.#clerk);
    for (const entry of entries) await this.#send(entry);
    console.log(`${entries.length} orders, ${figures.cut} answers cut, ${figures.foundDone} found done by a retry`);
    return [...violations, ...faults];
  }

  async #place(index: number): Promise<void> {
    const client = this.#clients[index % TRADERS];
    const side = Math.floor(index / TRADERS) % 2 === 0 ? 'BUY' : 'SELL';
    const send = (entry: Entry) => this.#send(entry);
    const isOver = () => Date.now() >= this.#end_ms;
    if (client) await placeUntilDecided(this.#clerk, client, side, RETRY_PAUSE_MS, { send, isOver });
  }

  /** Each sending of an order is at another address, and so are orders beside each other. */
  #send(entry: Entry): Promise<boolean> {
    const { entries } = this.#clerk;
    this.#clerk.origin = this.urls[(entry.sent + entries.length) % this.urls.length] ?? '';
    return this.#clerk.send(entry);
  }
}

/** Runs one bundle after the other on the same storage, each killed under load. */
async function replace(bundles: readonly string[], storage: string): Promise<string[]> {
  const start = (bundle = '') => startServedExchange({ bundle, entry, variables, storage, site: false }, false);
  const traders = new Traders();
  let exchange = await start(bundles[0]);
  try {
    await traders.begin([exchange.url]);
    await traders.during(async () => {
      for (const bundle of bundles.slice(1)) {
        await sleep(phase_ms);
        await exchange.kill();
        exchange = await start(bundle);
        traders.urls = [exchange.url];
      }
      await sleep(phase_ms);
    });
    return await traders.settle(exchange.probe);
  } finally {
    await exchange.stop();
  }
}

/** Runs both bundles at once, with the objects of the first. */
async function bind(owner: string, other: string): Promise<string[]> {
  await using exchange = await startExchange({ bundle: owner, others: [other], entry, variables, site: false });
  const traders = new Traders();
  await traders.begin(exchange.urls);
  await traders.during(() => sleep(phase_ms));
  return await traders.settle(exchange.probe);
}

using temporary = makeTemporaryFolder('upgrade');
const directory = temporary.path;
let entry = '';
let variables: Readonly<Record<string, string>> = {};
/** The variables of the sandbox in a folder with a version of the project. */
const readVariables = (folder: string) =>
  readConfiguredWorker(join(folder, 'wrangler.toml')).variables as Readonly<Record<string, string>>;
const [older, newer] = [join(directory, 'older'), join(directory, 'newer')];
await inCommit(chooseCommit(), (tree) => {
  const build = `import { buildWorker } from './scripts/build-worker.ts'; await buildWorker('', process.argv[1]);`;
  execFileSync(process.execPath, ['--input-type=module', '-e', build, older], { cwd: tree });
  variables = { ...readVariables(tree), ...readVariables('.') };
});
await buildWorker('', newer);
for (const bundle of [older, newer]) entry = writeFloodedEntry(bundle, false);
const runs: readonly [string, () => Promise<string[]>][] = [
  [
    'the older bundle replaced by the newer, and back',
    () => replace([older, newer, older], join(directory, 'storage')),
  ],
  ['the older code with newer objects', () => bind(newer, older)],
  ['the newer code with older objects', () => bind(older, newer)],
];
for (const [name, run] of runs) {
  console.log(`${name}:`);
  const faults = await run();
  for (const fault of faults.slice(0, 20)) console.error(`WRONG: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
