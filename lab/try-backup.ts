import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildWorker } from '../scripts/build-worker.ts';
import { readManifest } from '../scripts/backup/backup-files.ts';
import { takeBackup } from '../scripts/backup/take-backup.ts';
import { type Database, askCloudflare } from '../scripts/databases/database.ts';
import { bindingOf } from '../src/db/record-id.ts';
import { playD1Api } from '../test/support/node/cloudflare/play-d1-api.ts';
import type { Client } from '../test/support/client.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../test/support/node/exchange/served-exchange.ts';
import { makeLedger, runExchange } from './growth/make-ledger.ts';
import { writeMeteredEntry } from './growth/metered-entry.ts';
import { OrderLoad } from './growth/order-load.ts';
import { makeTemporaryFolder } from '../scripts/temporary-folder.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run test:backup` backs up an exchange of 100,000 orders over a played API of Cloudflare while 50 orders a second
 * are placed, restores it with `npm run restore`, and starts an exchange with it. Fails unless every row is as it was
 * at the cut, trade went on meanwhile, and the reconciliation of each restored ledger completes a pass and finds
 * nothing. `--ledgers 3` has the traders in three ledgers, whose holders pay each other while the backup is read.
 */

const { orders: wanted, ledgers } = readOptions({ orders: 100_000, ledgers: 1 });
const TRADERS = 24;
const PER_SECOND = 50;
const LOOK_MS = 1_000;

/** How long the keepers may take for all ledgers. */
const MOST_MS = 900_000;

const say = (text: string) => console.log(`${new Date().toISOString()} ${text}`);
using temporary = makeTemporaryFolder('try-backup');
const directory = temporary.path;
await tryBackup();

async function tryBackup(): Promise<void> {
  const bundle = join(directory, 'bundle');
  await buildWorker('', bundle);
  const entry = writeMeteredEntry(bundle);
  const start = (folder: string) =>
    startServedExchange(
      { bundle, entry, ledgers, storage: join(directory, folder, 'v3'), site: false, variables: { HURRIES: 'yes' } },
      false,
    );
  await makeLedger(bundle, entry, join(directory, 'source', 'v3'), wanted);
  const backup = join(directory, 'backup');
  await runExchange(await start('source'), (exchange) => backUpBesideTrade(exchange, backup));
  execFileSync(process.execPath, ['scripts/restore.ts', backup, '--local'], {
    env: { ...process.env, BUREAU_STORAGE: join(directory, 'restored') },
    stdio: 'inherit',
  });
  await runExchange(await start('restored'), reconcile);
  const { databases } = readManifest(backup);
  const orders = databases.flatMap(({ tables }) => tables).filter(({ name }) => name === 'orders');
  const count = orders.reduce((sum, { rows }) => sum + rows, 0);
  if (databases.length !== ledgers || count < wanted) {
    throw new Error(`the backup has ${count} orders of ${databases.length} ledgers`);
  }
  say(`${count} orders in ${ledgers} ledgers were backed up, restored and reconciled`);
}

/** Takes the backup while orders are placed and, between ledgers, payments made. Throws when none of them was. */
async function backUpBesideTrade(exchange: ServedExchange, backup: string): Promise<void> {
  const operator = new Operator(exchange.url);
  const tokens: string[] = [];
  const payers: Client[] = [];
  for (let at = 0; at < TRADERS; at += 1) {
    if (ledgers > 1) await operator.openIn(at % ledgers);
    const account = await operator.openAccount({ USDT: '100000', BTC: '1' });
    tokens.push(await operator.createKey(account));
    if (at < ledgers) payers.push(await operator.createClient(account));
  }
  const api = await playD1Api((id, statements) =>
    exchange.probe.batch(
      statements.map((sql) => ({ sql })),
      Number(id),
    ),
  );
  const { CLOUDFLARE_API_BASE_URL: origin = '', CLOUDFLARE_ACCOUNT_ID: account = '' } = api.environment;
  const at = { origin, account, token: api.environment['CLOUDFLARE_API_TOKEN'] ?? '' };
  const databases = Array.from({ length: ledgers }, (_, ledger): Database => ({
    binding: bindingOf(ledger),
    ask: (statements) => askCloudflare(at, String(ledger), statements),
    execute: () => Promise.reject(new Error('a backup writes nothing')),
  }));
  const load = new OrderLoad(exchange.url, tokens);
  const state = { isDone: false };
  let payments = 0;
  const addresses = await Promise.all(payers.map((payer) => payer.addressOn('TRC20')));
  const pay = async () => {
    if (ledgers === 1) return;
    for (let turn = 0; !state.isDone; turn += 1) {
      await payers[turn % ledgers]?.takeOut({
        network: 'TRC20',
        amount: '20',
        address: addresses[(turn + 1) % ledgers],
      });
      payments += 1;
    }
  };
  const read = async () => {
    const begun_ms = Date.now();
    try {
      await takeBackup(databases, backup, begun_ms, say);
    } finally {
      state.isDone = true;
    }
    say(`the backup took ${((Date.now() - begun_ms) / 1_000).toFixed(1)} s and ${api.asked.length} questions`);
  };
  const stop = (error: unknown) => {
    state.isDone = true;
    throw error;
  };
  const [placed] = await Promise.all([load.send(PER_SECOND, () => state.isDone), pay().catch(stop), read()]);
  await Promise.all([load.close(), api.stop()]);
  say(
    `beside it ${placed.orders} orders (${placed.perSecond.toFixed(1)} a second, median ${placed.median_ms.toFixed(0)} ms) and ${payments} payments between ledgers`,
  );
  if (placed.orders < PER_SECOND || placed.refused > 0 || (ledgers > 1 && payments === 0)) {
    throw new Error('nobody could trade');
  }
}

interface Reconciliation {
  readonly status: string;
  readonly violations: readonly unknown[];
  readonly ledgers: readonly { readonly lastPass: object | null }[];
}

/** Has the keepers of a restored exchange, which have never seen its ledgers, check all of them. Throws at a finding. */
async function reconcile({ url }: ServedExchange): Promise<void> {
  const operator = new Operator(url);
  const end_ms = Date.now() + MOST_MS;
  for (;;) {
    const run = () => operator.operate<{ reconciliation: Reconciliation }>('POST', '/reconciliation/run');
    const { reconciliation: found } = await run();
    if (found.status === 'broken' || found.violations.length > 0) throw new Error(JSON.stringify(found));
    if (found.status === 'ok' && found.ledgers.every(({ lastPass }) => lastPass !== null)) return;
    if (Date.now() > end_ms) throw new Error(`the keepers were not done in time: ${JSON.stringify(found)}`);
    await sleep(LOOK_MS);
  }
}
