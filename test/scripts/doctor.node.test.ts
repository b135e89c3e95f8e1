import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { addLedger } from '../../scripts/ledgers/ledger-bindings.ts';
import { deriveDepositKeys } from '../../scripts/offline-wallet.ts';

const folder = mkdtempSync(join(tmpdir(), 'bureau-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SECRETS = [
  'API_KEY_SECRETS',
  'CURSOR_SECRET',
  'TOTP_SECRETS',
  'OPERATOR_TOKEN',
  'DEPOSIT_TOKEN',
  'AUDITOR_TOKEN',
  'CUSTODY_SECRET',
  'CUSTODY_SIGNING_KEY',
];

const template = readFileSync('wrangler.toml', 'utf8');
const production = template.indexOf('[env.production.vars]');

/** wrangler.toml with values of production in place of its own. */
function fillIn(values: Readonly<Record<string, string>>): string {
  let toml = template.slice(production);
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^${name} = .*$`, 'm');
    if (!line.test(toml)) throw new Error(`wrangler.toml has no ${name} for production`);
    toml = toml.replace(line, `${name} = ${JSON.stringify(value)}`);
  }
  return template.slice(0, production) + toml;
}

const ready = {
  DEPOSIT_KEYS: JSON.stringify(deriveDepositKeys(new Uint8Array(64).fill(7))),
  CUSTODY_URL: 'https://custody.bureau.dev',
  ACCESS_ISSUER: 'https://bureau.cloudflareaccess.com',
  ACCESS_AUDIENCE: '4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2',
  CONSOLE_ORIGIN: 'https://console.bureau.dev',
  database_id: '7f0e1a52-5b0c-4c5e-9d3e-2b8c4f6a9d01',
};

/** What the doctor says of a configuration, and whether it passes. */
async function examine(toml: string, secrets: readonly string[] | null = SECRETS) {
  const file = join(folder, `${crypto.randomUUID()}.toml`);
  writeFileSync(file, toml);
  const child = spawn(
    process.execPath,
    ['--no-warnings', 'scripts/doctor.ts', '--env', 'production', '--config', file],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  child.stdin.end(secrets === null ? '' : JSON.stringify(secrets.map((name) => ({ name, type: 'secret_text' }))));
  const [said, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve) => child.on('exit', resolve)),
  ]);
  const lines = said.trim().split('\n');
  return { errors: lines.filter((line) => line.startsWith('error: ')), lines, isReady: code === 0 };
}

/** Each case loads wrangler anew, to read the configuration as a deployment does: so they run side by side. */
describe.concurrent('the doctor', { timeout: 240_000 }, () => {
  it('passes a configuration that is filled in, with all secrets', async () => {
    const { lines, isReady } = await examine(fillIn(ready));
    expect([isReady, lines.length]).toEqual([true, 1]);
  });

  it('names everything that is still to be filled in, and does not pass', async () => {
    const { errors, isReady } = await examine(template, []);
    expect(isReady).toBe(false);
    for (const name of [...SECRETS.slice(0, -1), 'DEPOSIT_KEYS', 'CUSTODY_URL', 'DB']) {
      expect(
        errors.filter((line) => line.includes(name)),
        name,
      ).not.toEqual([]);
    }
  });

  it('does not pass a ledger without a database of its own', async () => {
    const { toml } = addLedger(fillIn(ready));
    const { errors, isReady } = await examine(toml);
    expect([isReady, errors]).toEqual([false, [expect.stringContaining('DB_1')]]);
  });

  it('warns where the secrets are not known, and where nobody can sign in', async () => {
    const { lines, isReady } = await examine(fillIn({ ...ready, ACCESS_ISSUER: '' }), null);
    expect([isReady, lines.filter((line) => line.startsWith('warning: ')).length]).toEqual([true, 2]);
  });

  it.each([
    {
      SPREAD_BPS: '0',
      PRICE_SOURCES: 'binance',
      CUSTODY_URL: 'http://custody.bureau.dev',
      ACCESS_AUDIENCE: '',
      DEPOSIT_KEYS: '{"BTC":"xpub"}',
    },
    { PRICE_SOURCES: 'binance,sandbox-a', CUSTODY_PROVIDER: 'sandbox', SOLANA_ADDRESSES: 'sandbox' },
    { ORDER_MIN_USDT: '0' },
  ])('does not pass what the Worker would not start with, and names each of it: %j', async (wrong) => {
    const { errors, isReady } = await examine(fillIn({ ...ready, ...wrong }));
    expect(isReady).toBe(false);
    for (const name of Object.keys(wrong))
      expect(
        errors.filter((line) => line.includes(name)),
        name,
      ).not.toEqual([]);
  });

  it('does not pass a secret that is missing, or that is written into the configuration', async () => {
    const without = await examine(
      fillIn(ready),
      SECRETS.filter((name) => name !== 'TOTP_SECRETS'),
    );
    expect([without.isReady, without.errors]).toEqual([false, [expect.stringContaining('TOTP_SECRETS')]]);
    const toml = fillIn(ready).replace('[env.production.vars]', '[env.production.vars]\nOPERATOR_TOKEN = "oooo"');
    const written = await examine(toml);
    expect([written.isReady, written.errors.join()]).toEqual([false, expect.stringContaining('OPERATOR_TOKEN')]);
  });
});
