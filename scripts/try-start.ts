import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ledgerNumberOf } from '../src/db/record-id.ts';
import { Operator } from '../test/support/node/exchange/operator.ts';
import { checkRouting } from './check-routing.ts';
import { type LocalExchange, expectThat, withLocalExchange } from './local-exchange.ts';
import { tryClientReadmes } from './try-client-readmes.ts';
import { tryGuides } from './try-guides.ts';
import { readBalances, tryPrintedLines } from './try-printed-lines.ts';

/**
 * Tries `npm start` as a trader would. It starts an exchange on a free port with fresh storage, runs the lines that it
 * prints and those of the clients' READMEs and the guides. Then it restarts the exchange and expects the same account
 * with the same balances, until `npm run reset` deletes everything. At last it starts one with three ledgers.
 */

const operatorOf = (exchange: LocalExchange) => new Operator(exchange.origin, exchange.valueOf('operator token'));

/** The schedule runs as in production: within a moment of the start, a whole pass finds the new ledger in order. */
async function checkReconciliation(exchange: LocalExchange): Promise<void> {
  for (let looks = 0; looks < 100; looks += 1) {
    const { reconciliation } = await operatorOf(exchange).operate<{
      reconciliation: { status: string; lastPass: object | null };
    }>('GET', '/reconciliation');
    if (reconciliation.lastPass !== null) return expectThat(reconciliation.status === 'ok', 'a reconciled ledger');
    await sleep(200);
  }
  throw new Error('the ledger was not reconciled');
}

/** Opens so many accounts. Returns their ids. */
function openAccounts(exchange: LocalExchange, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => operatorOf(exchange).openAccount()));
}

/** Runs `npm run reset` for a folder of data. Returns its exit code. */
function reset(storage: string): number | null {
  const env = { ...process.env, BUREAU_STORAGE: storage };
  return spawnSync(process.execPath, ['scripts/reset.ts'], { env, stdio: ['ignore', 'inherit', 'inherit'] }).status;
}

await withLocalExchange(async (start) => {
  const first = await start();
  expectThat(first.valueOf('operator token').length >= 32, 'the operator token is printed');
  await checkRouting(first);
  const funded = await tryPrintedLines(first);
  await checkReconciliation(first);
  await tryClientReadmes(first);
  await tryGuides(first);
  const left = JSON.stringify(await readBalances(first));
  expectThat(left !== JSON.stringify(funded), 'the examples have moved money');
  await first.stop();

  const second = await start();
  expectThat(second.valueOf('api key') === first.valueOf('api key'), 'the same key after a restart');
  expectThat(JSON.stringify(await readBalances(second)) === left, 'the data is kept over a restart');
  expectThat(reset(second.storage) === 1 && existsSync(second.storage), 'no data is deleted while an exchange uses it');
  await second.stop();
  expectThat(reset(second.storage) === 0 && !existsSync(second.storage), 'a reset leaves nothing of the data');

  const third = await start({ BUREAU_LEDGERS: '3' });
  const opened = await openAccounts(third, 24);
  expectThat(new Set(opened.map(ledgerNumberOf)).size === 3, 'accounts in three ledgers');
  await checkReconciliation(third);
  await third.stop();
  const fourth = await start();
  expectThat((await openAccounts(fourth, 1)).length === 1, 'an exchange that still has three ledgers');
  const inThird = opened.find((id) => ledgerNumberOf(id) === 2);
  const found = await operatorOf(fourth).ask('GET', `/accounts/${inThird}`);
  expectThat(found.ok, 'an account of the third ledger after a restart');
  await fourth.stop();
});
