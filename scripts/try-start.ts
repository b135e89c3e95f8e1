import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Tries `npm start` as a trader would: starts it on a free port and fresh storage, runs the very curl lines that it
 * prints, ends it, starts it again, and expects the same account with what it bought.
 */

const DEADLINE_MS = 90_000;

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

async function start(port: number, storage: string): Promise<{ server: ChildProcess; greeting: string }> {
  const server = spawn(process.execPath, ['scripts/start.ts'], {
    env: { ...process.env, PORT: String(port), BUREAU_STORAGE: storage },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const greeting = await new Promise<string>((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`no greeting within ${DEADLINE_MS} ms:\n${text}`)), DEADLINE_MS);
    server.stdout.on('data', (part) => {
      text += String(part);
      if (!text.includes('Ctrl-C ends it')) return;
      clearTimeout(timer);
      resolve(text);
    });
    server.on('exit', (code) => reject(new Error(`the server ended with ${code}:\n${text}`)));
  });
  return { server, greeting };
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGINT');
  await ended;
}

/** Runs a line of the greeting in a shell, as a reader would paste it. */
function paste(greeting: string, title: string): Promise<string> {
  const line = greeting.slice(greeting.indexOf(title)).split('\n')[1]?.trim();
  if (!line?.startsWith('curl')) throw new Error(`the greeting has no line for "${title}"`);
  return runShell(line);
}

function runShell(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-euc', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    shell.stdout.on('data', (part) => (output += String(part)));
    shell.on('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`${script}\nended with ${code}`))));
  });
}

function expectThat(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`expected ${what}`);
  console.log(`ok: ${what}`);
}

/** Runs the README's walk as it stands there, with the values of this start in the place of its dots. */
async function walkReadme(greeting: string, serverPort: number): Promise<void> {
  const readme = readFileSync('README.md', 'utf8');
  const section = readme.slice(readme.indexOf('## Money in')).split('\n## ')[0] ?? '';
  const walk = section
    .split('```sh\n')
    .slice(1)
    .map((block) => block.split('```')[0])
    .join('\n');
  if (walk === '') throw new Error('the README has no walk');
  const values = {
    KEY: lineOf(greeting, 'api key'),
    OPERATOR: lineOf(greeting, 'operator token'),
    ACCOUNT: lineOf(greeting, 'demo account'),
    URL: `http://127.0.0.1:${serverPort}`,
  };
  const assignments = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  const lines = walk.split('\n').filter((line) => !/^(OPERATOR|ACCOUNT|URL)=/.test(line));
  const output = await runShell([...assignments, ...lines].join('\n'));
  expectThat(output.includes('{"totp":{"enabled":true}}'), 'the walk switches two-factor authentication on');
  expectThat(output.includes('"label":"cold wallet"'), 'the walk approves an address');
  expectThat(/"status":"PENDING".*"status":"COMPLETED"/s.test(output), 'the walk’s deposit is confirmed');
  expectThat(output.includes('{"asset":"ETH","amount":"10.5"}'), 'the walk’s deposit is in the balance');
  expectThat(/"withdrawal":{[^}]*"status":"COMPLETED","txHash":"0x/.test(output), 'the walk’s withdrawal is paid');
  expectThat(/"status":"PENDING","txHash":null/.test(output), 'the walk’s second withdrawal waits for its review');
  expectThat(output.split('"status":"COMPLETED","txHash":"0x').length >= 6, 'and is paid once approved');
  expectThat(/"transactions":\[{[^}]*"type":"ONCHAIN_DEPOSIT"/.test(output), 'the walk’s deposit is in the feed');
}

const lineOf = (greeting: string, name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(greeting)?.[1];

const port = await findFreePort();
const storage = mkdtempSync(join(tmpdir(), 'bureau-'));
try {
  const first = await start(port, storage);
  expectThat(/^operator token: \S{32,}$/m.test(first.greeting), 'the operator token is printed');
  const before = JSON.parse(await paste(first.greeting, 'What the demo account holds')) as {
    balances: { amount: string }[];
  };
  expectThat(
    before.balances.length === 9 && before.balances.every(({ amount }) => amount !== '0'),
    'nine funded assets',
  );
  const bought = JSON.parse(await paste(first.greeting, 'Buy bitcoin')) as { order?: { usdtAmount: string } };
  expectThat(bought.order?.usdtAmount === '100', 'an order for 100 USDT is filled');
  const market = JSON.parse(await paste(first.greeting, 'The market')) as { tickers: unknown[]; degraded: boolean };
  expectThat(market.tickers.length === 8 && !market.degraded, 'eight tickers');
  await walkReadme(first.greeting, port);
  await stop(first.server);

  const second = await start(port, storage);
  expectThat(lineOf(second.greeting, 'api key') === lineOf(first.greeting, 'api key'), 'the same key after a restart');
  const after = await paste(second.greeting, 'What the demo account holds');
  expectThat(after.includes('{"asset":"USDT","amount":"99900"}'), 'the data is kept over a restart');
  await stop(second.server);
} finally {
  rmSync(storage, { recursive: true, force: true });
}
