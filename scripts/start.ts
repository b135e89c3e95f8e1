import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { assetSymbols } from '../src/money/assets.ts';
import { moveEarlierState, noteSchema } from './keep-state.ts';
import { migrateLedgers, migrateWithWrangler, readLedgerBindings } from './ledgers/migrate-ledgers.ts';
import { readSecret, writeSecrets } from './local-secrets.ts';

/**
 * `npm start` runs a whole exchange on this machine. It makes the secrets, migrates the local D1, serves the Worker,
 * opens a demo account through the operator's API, and prints what a trader needs. A later run finds everything as it
 * was, unless the schema has changed: then the state is moved aside, and the run begins with an empty one. Arguments
 * are passed to wrangler: `-- --var NAME:VALUE` sets a variable.
 */

const port = Number(process.env['PORT'] ?? 8787);
const origin = `http://127.0.0.1:${port}`;
const storage = process.env['BUREAU_STORAGE'] ?? '.wrangler/state';
const demoFile = `${storage}/demo-account.json`;
const MIGRATIONS = 'migrations';
const READY_DEADLINE_MS = 60_000;

/** How often the platform fires the schedule (`crons` in wrangler.toml). The local runtime fires none by itself. */
const SCHEDULE_INTERVAL_MS = 60_000;
const SCHEDULE_PATH = '/cdn-cgi/local/scheduled';

/** The first funds of the demo account, in whole units. */
const demoFunds = {
  USDT: 100_000,
  USDC: 10_000,
  BTC: 1,
  ETH: 10,
  AVAX: 500,
  MATIC: 10_000,
  BNB: 20,
  LTC: 100,
  DOGE: 50_000,
};

interface Demo {
  readonly accountId: string;
  readonly token: string;
}

const environment = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' };

function migrate(): void {
  const aside = moveEarlierState(storage, MIGRATIONS, new Date());
  if (aside !== undefined) {
    console.log(
      `The data in ${storage} is of an earlier schema. It was moved to ${aside}, and the exchange begins empty.`,
    );
  }
  migrateLedgers(readLedgerBindings('sandbox'), migrateWithWrangler(['--local', '--persist-to', storage]));
  noteSchema(storage, MIGRATIONS);
}

/** Starts wrangler in its own process group: ending wrangler alone would leave its runtime running. */
function serve(): ChildProcess {
  const argv = [
    'dev',
    '--port',
    String(port),
    '--ip',
    '127.0.0.1',
    '--persist-to',
    storage,
    '--show-interactive-dev-session=false',
    ...process.argv.slice(2),
  ];
  return spawn('wrangler', argv, { env: environment, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
}

async function waitUntilReady(server: ChildProcess): Promise<void> {
  const deadline_ms = Date.now() + READY_DEADLINE_MS;
  while (Date.now() < deadline_ms) {
    if (server.exitCode !== null) throw new Error(`the server ended; is port ${port} taken?`);
    const isReady = await fetch(`${origin}/api/v1/markets/tickers`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`the server did not answer within ${READY_DEADLINE_MS / 1_000} s`);
}

async function operate<T>(operatorToken: string, path: string, body: unknown): Promise<T> {
  const response = await fetch(`${origin}/operator/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function openDemo(operatorToken: string): Promise<Demo> {
  const { account } = await operate<{ account: { id: string } }>(operatorToken, '/accounts', { label: 'demo' });
  for (const asset of assetSymbols) {
    const credit = { asset, amount: String(demoFunds[asset]), reference: `demo ${asset}` };
    await operate(operatorToken, `/accounts/${account.id}/credits`, credit);
  }
  const { token } = await operate<{ token: string }>(operatorToken, `/accounts/${account.id}/api-keys`, {
    label: 'demo',
    scopes: ['read', 'trade', 'withdraw'],
  });
  const demo = { accountId: account.id, token };
  mkdirSync(dirname(demoFile), { recursive: true });
  writeFileSync(demoFile, JSON.stringify(demo), { mode: 0o600 });
  return demo;
}

/** Returns the demo account of an earlier run, if its key is still accepted. */
async function findDemo(): Promise<Demo | undefined> {
  if (!existsSync(demoFile)) return undefined;
  const demo = JSON.parse(readFileSync(demoFile, 'utf8')) as Demo;
  const response = await fetch(`${origin}/api/v1/wallet/balances`, {
    headers: { Authorization: `Bearer ${demo.token}` },
  });
  return response.ok ? demo : undefined;
}

function fireSchedule(): void {
  fetch(`${origin}${SCHEDULE_PATH}`).catch((error: unknown) => console.error('the schedule was not fired:', error));
}

/** Fires the schedule now and every minute, as the platform does: so the ledger is reconciled here as well. */
function keepSchedule(server: ChildProcess): void {
  fireSchedule();
  const timer = setInterval(fireSchedule, SCHEDULE_INTERVAL_MS);
  server.on('exit', () => clearInterval(timer));
}

function greet(demo: Demo, operatorToken: string): void {
  console.log(`
Bureau is open at ${origin}
Guides and reference: ${origin}/docs

demo account: ${demo.accountId}
api key: ${demo.token}
operator token: ${operatorToken}

What the demo account holds:
  curl -s ${origin}/api/v1/wallet/balances -H 'Authorization: Bearer ${demo.token}'

Buy bitcoin for 100 USDT:
  curl -s ${origin}/api/v1/orders -H 'Authorization: Bearer ${demo.token}' -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s)" -d '{"coin":"BTC","side":"BUY","mode":"USDT_AMOUNT","value":"100"}'

The market:
  curl -s ${origin}/api/v1/markets/tickers

Ctrl-C ends it; the data stays in ${storage}.`);
}

async function start(): Promise<void> {
  writeSecrets();
  migrate();
  const server = serve();
  const stop = () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  server.on('exit', (code) => process.exit(code ?? 0));
  let banner = '';
  const keepBanner = (text: unknown) => (banner += String(text));
  server.stdout?.on('data', keepBanner);
  try {
    await waitUntilReady(server);
    const operatorToken = readSecret('OPERATOR_TOKEN');
    const demo = (await findDemo()) ?? (await openDemo(operatorToken));
    // From here on the Worker's log is shown. Wrangler's banner is shown only when the start fails.
    server.stdout?.off('data', keepBanner).pipe(process.stdout);
    greet(demo, operatorToken);
    keepSchedule(server);
  } catch (error) {
    console.error(banner, error instanceof Error ? error.message : error);
    process.exitCode = 1;
    stop();
  }
}

await start();
