import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { type Reconciliation, driveKeeper, say } from './drive-keeper.ts';
import { openLedgerFile } from '../../scripts/open-ledger-file.ts';
import { writeLedger } from './write-ledger.ts';

/**
 * Makes the storage of an exchange with this many orders in its ledger, all of which its keeper has already read as
 * new. The keeper does not pause, because nobody trades meanwhile. A pass over the ledger remains to be measured.
 */
export async function makeLedger(bundle: string, entry: string, storage: string, orders: number): Promise<void> {
  const drive = async (isDone: (shown: Reconciliation) => boolean) => {
    const options = { bundle, entry, storage, site: false, variables: { HURRIES: 'yes' } };
    await runExchange(await startServedExchange(options, false), (exchange) =>
      driveKeeper(exchange, new Operator(exchange.url), isDone),
    );
  };
  // The migrations make the file. The keeper starts with a pass, which here finds an empty ledger.
  await drive(({ lastPass }) => lastPass !== null);
  const begun_ms = Date.now();
  const file = openLedgerFile(storage);
  writeLedger(file, orders);
  const head = String(file.prepare('SELECT max(id) AS head FROM transfers').get()?.['head']);
  file.close();
  const written_ms = Date.now();
  say(`${orders} orders were written in ${(written_ms - begun_ms) / 1_000} s`);
  await drive(({ progress }) => progress.transfersRead === head && progress.startedAt === null);
  say(`their ${head} transfers were read as new in ${(Date.now() - written_ms) / 1_000} s, without resting`);
  writeThrough(storage);
}

export async function runExchange<T>(
  exchange: ServedExchange,
  act: (exchange: ServedExchange) => Promise<T>,
): Promise<T> {
  await using running = exchange;
  return await act(running);
}

/** Has everything written to the disk now, so that it does not happen during the measurement. */
export function writeThrough(storage: string): void {
  for (const entry of readdirSync(storage, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = openSync(join(entry.parentPath, entry.name), 'r+');
    fsyncSync(file);
    closeSync(file);
  }
}
