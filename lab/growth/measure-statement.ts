import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { composeHistory, historyTables } from '../../test/support/growth/compose-history.ts';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { buildWorker } from '../../scripts/build-worker.ts';
import { readMemory } from '../read-runtimes.ts';
import { runExchange } from './make-ledger.ts';
import { openLedgerFile } from '../../scripts/open-ledger-file.ts';
import { withoutTriggers } from './write-ledger.ts';

export interface MeasuredStatement {
  readonly movements: number;
  readonly bytes: number;
  readonly time_ms: number;
  /** The memory of the runtime, in bytes: before the statement, and at most while it was sent. */
  readonly before: number;
  readonly peak: number;
  /** Whether opening balances and movements are the closing balances, and these the balances. */
  readonly addsUp: boolean;
}

/** How often the memory is looked at, and how long a reader that stops for a while takes nothing. */
const LOOK_MS = 10;
const STOP_MS = 2_000;

const SHORT = 1_000;

/**
 * Measures the memory of the runtime while it sends the statement of an account with this many movements, to a reader
 * that stops for two seconds in the middle; after the statement of one with a thousand, which warms it up.
 */
export async function measureStatements(directory: string, movements: number): Promise<MeasuredStatement[]> {
  const bundle = join(directory, 'bundle');
  const storage = join(directory, 'storage');
  await buildWorker('', bundle);
  const start = () => startServedExchange({ bundle, storage, site: false }, false);
  const accounts = await runExchange(await start(), async ({ url }) => {
    const operator = new Operator(url);
    const open = () => operator.openClient({ USDT: '1000000', BTC: '100' });
    return [await open(), await open()].map(({ accountId, token }) => ({ accountId, token }));
  });
  const sizes = [SHORT, movements];
  const file = openLedgerFile(storage);
  withoutTriggers(file, historyTables, () => {
    let first = 0;
    for (const [at, { accountId }] of accounts.entries()) {
      // An order has two movements.
      const history = {
        table: 'orders',
        owners: { account: `'${accountId}'`, count: 1 },
        first,
        end: first + (sizes[at] ?? 0) / 2,
      } as const;
      const head = Number(file.prepare('SELECT max(id) AS head FROM transfers').get()?.['head']);
      for (const statement of composeHistory(history, history.first, history.end, head)) file.exec(statement);
      first = history.end;
    }
  });
  file.close();
  return runExchange(await start(), async ({ url }) => {
    const measured: MeasuredStatement[] = [];
    for (const { token } of accounts) measured.push(await measureStatement(url, token));
    return measured;
  });
}

/** Reads a statement in CSV and adds it up by a parser of its own. */
async function measureStatement(url: string, token: string): Promise<MeasuredStatement> {
  const headers = { Authorization: `Bearer ${token}` };
  await sleep(STOP_MS);
  const before = readMemory();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, readMemory())), LOOK_MS);
  const begun_ms = Date.now();
  const path = '/api/v1/account/statement?from=2020-01-01T00:00:00Z&format=csv';
  const response = await fetch(`${url}${path}`, { headers });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const sums = new Map<string, bigint>();
  const closing = new Map<string, bigint>();
  const decoder = new TextDecoder();
  let [movements, bytes, rest, hasStopped] = [0, 0, '', false];
  for await (const piece of response.body) {
    bytes += piece.byteLength;
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\r\n');
    rest = lines.pop() ?? '';
    for (const [, type = '', asset = '', amount = ''] of lines.map((line) => line.split(','))) {
      if (type === 'type') continue;
      if (type === 'CLOSING_BALANCE') closing.set(asset, atomsOf(amount));
      else sums.set(asset, (sums.get(asset) ?? 0n) + atomsOf(amount));
      if (!type.endsWith('_BALANCE')) movements += 1;
    }
    if (movements > SHORT && !hasStopped) {
      hasStopped = true;
      await sleep(STOP_MS);
    }
  }
  const time_ms = Date.now() - begun_ms - (hasStopped ? STOP_MS : 0);
  clearInterval(watch);
  const { balances } = (await (await fetch(`${url}/api/v1/wallet/balances`, { headers })).json()) as {
    balances: { asset: string; amount: string }[];
  };
  const addsUp = balances.every(
    ({ asset, amount }) => atomsOf(amount) === closing.get(asset) && closing.get(asset) === sums.get(asset),
  );
  return { movements, bytes, time_ms, before, peak, addsUp };
}

/** An amount with a sign as a whole number of 10^-8. */
function atomsOf(text: string): bigint {
  const [, minus = '', whole = '', rest = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  return BigInt(`${minus}${whole}${rest.padEnd(8, '0')}`);
}
