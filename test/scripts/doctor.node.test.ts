import { runProgram } from '../support/node/run-program.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addLedger } from '../../scripts/ledgers/ledger-bindings.ts';
import { LIMITS_QUERY, examineDeployment } from '../../scripts/doctor/examine-deployment.ts';
import { openMigrated } from '../../scripts/ledgers/open-migrated.ts';
import { deriveDepositKeys } from '../../scripts/offline-wallet.ts';
import { openFolder } from '../support/node/open-folder.ts';

const folder = openFolder('doctor');

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

const NO_ID = '00000000-0000-0000-0000-000000000000';
/** A configuration without what an operator has added to it, who runs these tests before each deployment. */
const readTemplate = (file: string) => readFileSync(file, 'utf8').replaceAll(/^(routes|account_id) = .*\n/gm, '');
const template = readTemplate('wrangler.toml');
const production = template.indexOf('# The plan that is paid for takes this');

function fillIn(values: Readonly<Record<string, string>>): string {
  let toml = template.slice(production);
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^${name} = .*$`, 'm');
    if (!line.test(toml)) throw new Error(`wrangler.toml has no ${name} for production`);
    toml = toml.replace(line, `${name} = ${JSON.stringify(value)}`);
  }
  const reached = `routes = [{ pattern = "bureau.dev", custom_domain = true }]\naccount_id = "${'a1'.repeat(16)}"\n\n`;
  return template.slice(0, production) + reached + toml;
}

const ready = {
  DEPOSIT_KEYS: JSON.stringify(deriveDepositKeys(new Uint8Array(64).fill(7))),
  CUSTODY_URL: 'https://custody.bureau.dev',
  CUSTODY_SIGNER_KEY: 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c',
  DEPOSITS_AGREED_FROM: '{"ETH":"20"}',
  ACCESS_ISSUER: 'https://bureau.cloudflareaccess.com',
  ACCESS_AUDIENCE: '4714c1358e65fe4b408ad6d432a5f878f08194bdb4752441fd56faefa9b2b6f2',
  CONSOLE_ORIGIN: 'https://console.bureau.dev',
  SECURITY_CONTACT: 'mailto:security@bureau.dev',
  database_id: '7f0e1a52-5b0c-4c5e-9d3e-2b8c4f6a9d01',
};

const consoleTemplate = readTemplate('console/wrangler.toml');

/** console/wrangler.toml with values of production in place of its own. */
function fillInConsole(values: Readonly<Record<string, string>> = {}): string {
  const filled = {
    CONSOLE_ORIGIN: ready.CONSOLE_ORIGIN,
    API_ORIGIN: 'https://bureau.dev',
    MAIL_FROM: 'console@bureau.dev',
    database_id: '7f0e1a52-5b0c-4c5e-9d3e-2b8c4f6a9d02',
    ...values,
  };
  const start = consoleTemplate.indexOf('[env.production.vars]');
  let toml = consoleTemplate.slice(start);
  for (const [name, value] of Object.entries(filled)) {
    toml = toml.replace(new RegExp(`^${name} = .*$`, 'm'), `${name} = ${JSON.stringify(value)}`);
  }
  return `${consoleTemplate.slice(0, start)}routes = [{ pattern = "console.bureau.dev", custom_domain = true }]\n\n${toml}`;
}

const database = openMigrated('migrations');
database.exec('DROP TRIGGER balances_keep_to_their_share; DROP TRIGGER balances_are_kept');

function answerFloors(changes: readonly string[]): string {
  database.exec('BEGIN');
  for (const change of changes) database.exec(change);
  const answers = LIMITS_QUERY.split('; ').map((statement) => database.prepare(statement).all());
  database.exec('ROLLBACK');
  return JSON.stringify(answers.map((results) => ({ results, success: true, meta: { duration: 0.2 } })));
}

/** All limits set by the operator. */
const touched = [`UPDATE balances SET floor = floor / 2 WHERE account <> 'house:transit'`];

/** What the doctor says of a configuration, and whether it passes. */
function examine(
  toml: string,
  secrets: readonly string[] | null = SECRETS,
  floors: readonly string[] | null = touched,
  consoleToml = fillInConsole(),
) {
  const configFile = write(toml);
  const { lines, isReady } = examineDeployment({
    environment: 'production',
    configFile,
    consoleFile: write(consoleToml),
    secrets: secrets ?? undefined,
    caps: floors ? answerFloors(floors) : undefined,
  });
  const linesOf = (kind: string) => lines.filter((line) => line.startsWith(`${kind}: `));
  return { errors: linesOf('error'), warnings: linesOf('warning'), lines, isReady };
}

function write(content: string): string {
  const file = join(folder, `${crypto.randomUUID()}.toml`);
  writeFileSync(file, content);
  return file;
}

/** Runs the doctor as its command, with the names of the secrets as wrangler prints them, and the caps in a file. */
async function runDoctor(toml: string, secrets?: readonly string[], floors?: readonly string[]) {
  const files = ['--config', write(toml), '--console', write(fillInConsole())];
  const options = [...files, ...(floors ? ['--caps', write(answerFloors(floors))] : [])];
  const input = secrets && JSON.stringify(secrets.map((name) => ({ name, type: 'secret_text' })));
  const doctor = ['--no-warnings', 'scripts/doctor.ts', ...options];
  const { output, code } = await runProgram(doctor, input === undefined ? {} : { input });
  return { lines: output.trim().split('\n'), isReady: code === 0 };
}

/**
 * Everything that the doctor looks at, in one configuration in which all of it is wrong: the wrong value, or the change
 * of the configuration or the database, and what is said of it.
 */
const wrongs: readonly (readonly [what: string, said: RegExp, values?: Readonly<Record<string, string>>])[] = [
  ['a placeholder for the custodian', /error: CUSTODY_URL .*placeholder/, { CUSTODY_URL: 'https://custody.example' }],
  [
    'a placeholder for the console',
    /error: CONSOLE_ORIGIN .*placeholder/,
    { CONSOLE_ORIGIN: 'https://console.exchange.example' },
  ],
  ['empty deposit keys', /error: DEPOSIT_KEYS is not filled in/, { DEPOSIT_KEYS: '{}' }],
  [
    'a database without an id',
    /error: DB has no database_id: .* .npx wrangler d1 create bureau. .* \[\[env\.production\.d1_databases\]\]/,
    { database_id: NO_ID },
  ],
  ['a spread below the least', /error: SPREAD_BPS is below 10/, { SPREAD_BPS: '9' }],
  ['three sources of prices', /error: PRICE_SOURCES has fewer than the 4/, { PRICE_SOURCES: 'binance,okx,gate' }],
  ['a market of the sandbox', /error: CANDLE_SOURCES names a sandbox provider/, { CANDLE_SOURCES: 'sandbox' }],
  ['a venue over plain HTTP', /error: OKX_URL is not https/, { OKX_URL: 'http://www.okx.com' }],
  ['a sign-in without its application', /error: ACCESS_AUDIENCE is empty/, { ACCESS_AUDIENCE: '' }],
  ['a secret among the variables', /error: OPERATOR_TOKEN is a variable/],
  ...SECRETS.filter((name) => name !== 'CUSTODY_SIGNING_KEY').map((name) => {
    const said = new RegExp(`error: ${name} is not set: .npx wrangler secret put ${name} --env production.`);
    return [`no ${name}`, said] as const;
  }),
  ['no key of the custodian’s signer', /warning: CUSTODY_SIGNER_KEY is empty/, { CUSTODY_SIGNER_KEY: '' }],
  ['nobody to tell of a weakness', /warning: SECURITY_CONTACT is empty/, { SECURITY_CONTACT: '' }],
  ['one watcher of deposits', /warning: DEPOSITS_AGREED_FROM is empty/, { DEPOSITS_AGREED_FROM: '{}' }],
  ['no signing key', /warning: CUSTODY_SIGNING_KEY is not set/],
  ['supply caps that nobody set', /warning: the supply cap of .*BTC.* was never touched/],
  ['exposures that nobody set', /warning: the exposure of .*DOGE.* was never touched/],
];

it('a new exchange takes no deposits on Tron and Solana, until its operator has tried them', () => {
  expect(template.match(/^UNSERVED_NETWORKS = .*$/gm)).toEqual(Array(2).fill('UNSERVED_NETWORKS = "TRC20,SOL"'));
});

/** A configuration with a secret among its variables. */
const withSecret = (toml: string) =>
  toml.replace('[env.production.vars]', '[env.production.vars]\nOPERATOR_TOKEN = "oooo"');

describe('the doctor', () => {
  it('passes a configuration that is filled in, with all secrets', () => {
    const { lines, isReady } = examine(fillIn(ready));
    expect([isReady, lines.length]).toEqual([true, 1]);
  });

  it('is a command that ends well when all is filled in, by the secrets on its input and the caps in a file', async () => {
    const { lines, isReady } = await runDoctor(fillIn(ready), SECRETS, touched);
    expect([isReady, lines]).toEqual([true, ['production can be deployed.']]);
  });

  it('is a command that fails on an error, and says what it was not given', async () => {
    const toml = fillIn({ ...ready, SPREAD_BPS: '9' });
    const { lines, isReady } = await runDoctor(toml);
    expect([isReady, lines]).toEqual([false, examine(toml, null, null).lines]);
    expect(lines.join('\n')).toMatch(/secrets were not checked.*caps were not checked.*error: SPREAD_BPS/s);
  });

  it('names everything that is still to be filled in, and does not pass', () => {
    const shipped = { DEPOSIT_KEYS: '{}', CUSTODY_URL: 'https://custody.example', database_id: NO_ID };
    const { errors, isReady } = examine(fillIn(shipped), []);
    expect(isReady).toBe(false);
    for (const name of [...SECRETS.slice(0, -1), 'DEPOSIT_KEYS', 'CUSTODY_URL', 'DB'])
      expect(errors.join('\n')).toContain(name);
  });

  const wrongValues = Object.assign({}, ...wrongs.map(([, , values]) => values)) as Record<string, string>;
  const allWrong = examine(withSecret(fillIn({ ...ready, ...wrongValues })), [], []);

  it.each(wrongs.map(([what, said]) => [what, said] as const))('sees %s', (_what, said) => {
    const { lines, isReady } = allWrong;
    expect(isReady).toBe(false);
    expect(lines.filter((line) => said.test(line))).toHaveLength(1);
  });

  it('says which caps were never touched and leaves out the others; and that a database is not migrated', () => {
    const some = [
      `UPDATE balances SET floor = floor / 2 WHERE account = 'house:liquidity' OR (account = 'house:custody' AND asset <> 'BTC')`,
      `DELETE FROM balances WHERE asset = 'LTC'`,
    ];
    const { errors, warnings } = examine(fillIn(ready), SECRETS, some);
    expect(warnings).toEqual([expect.stringMatching(/the supply cap of BTC was never touched/)]);
    expect(errors).toEqual([expect.stringMatching(/no balance of LTC: apply the migrations/)]);
  });

  it('does not pass a spread below what a hedge costs, by the settings in the database and the variables', () => {
    const hedging = {
      venue: 'v',
      outer: '5000',
      inner: '0',
      maxAgeSeconds: 1,
      limitBps: 30,
      maxHedge: '9',
      feeBps: 25,
    };
    const set = `UPDATE settings SET coin_terms = '${JSON.stringify({ BTC: { hedging } })}', revision = revision + 1`;
    const dear = /the spread of BTC is 20 bps, and to hedge an order of 50000 USDT, above outer, 5000, costs 26 bps/;
    expect(examine(fillIn(ready), SECRETS, [...touched, set]).errors).toEqual([expect.stringMatching(dear)]);
    const wide = fillIn({ ...ready, SPREAD_BPS: '27' });
    expect(examine(wide, SECRETS, [...touched, set]).lines).toEqual(['production can be deployed.']);
  });

  it('does not pass a ledger without a database of its own', () => {
    const { toml } = addLedger(fillIn(ready));
    const { errors, isReady } = examine(toml);
    expect([isReady, errors]).toEqual([false, [expect.stringContaining('DB_1')]]);
  });

  it('warns where secrets and caps are not known and says how, and where nobody can sign in', () => {
    const { warnings, isReady } = examine(fillIn({ ...ready, ACCESS_ISSUER: '' }), null, null);
    expect([isReady, warnings.length]).toEqual([true, 4]);
    expect(warnings.at(-1)).toContain(LIMITS_QUERY);
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
  ])('does not pass what the Worker would not start with, and names each of it: %j', (wrong) => {
    const { errors, isReady } = examine(fillIn({ ...ready, ...wrong }));
    expect(isReady).toBe(false);
    for (const name of Object.keys(wrong)) expect(errors.join('\n')).toContain(name);
  });

  it('warns of a console that is not filled in, and does not pass one that is wrong, naming each of it', () => {
    const left = examine(fillIn(ready), SECRETS, touched, fillInConsole({ CONSOLE_ORIGIN: '' }));
    expect([left.isReady, left.warnings]).toEqual([true, [expect.stringContaining('the console is not filled in')]]);
    const wrong = {
      CONSOLE_ORIGIN: 'https://console.exchange.example',
      API_ORIGIN: '',
      MAIL_FROM: 'console@x.example',
    };
    const toml = fillInConsole({ ...wrong, database_id: NO_ID })
      .replaceAll('service = "bureau-production"', 'service = "bureau"')
      .replace('[[env.production.send_email]]\nname = "EMAIL"', '')
      .replace(/\[env\.production\.triggers\]\ncrons = .*/, '[env.production.triggers]\ncrons = []');
    const { errors, isReady } = examine(fillIn(ready), SECRETS, touched, toml);
    expect([isReady, errors]).toEqual([
      false,
      [
        expect.stringMatching(/console: CONSOLE_ORIGIN .*placeholder/),
        expect.stringMatching(/console: CONSOLE_ORIGIN is not that of the exchange/),
        expect.stringMatching(/console: no route leads to the host of CONSOLE_ORIGIN/),
        expect.stringMatching(/console: API_ORIGIN is no origin/),
        expect.stringMatching(/console: MAIL_FROM is no address of yours/),
        expect.stringMatching(/console: IDENTITY has no database_id/),
        expect.stringMatching(/console: EXCHANGE is not bound to bureau-production/),
        expect.stringMatching(/console: HOLDERS is not bound/),
        expect.stringMatching(/console: EMAIL is not bound/),
        expect.stringMatching(/console: no schedule/),
      ],
    ]);
    const other = fillInConsole({ CONSOLE_ORIGIN: 'https://192.0.2.1', database_id: ready.database_id });
    const shared = examine(fillIn(ready), SECRETS, touched, other);
    expect(shared.errors).toEqual([
      expect.stringMatching(/is an IP address/),
      expect.stringMatching(/is not that of the exchange/),
      expect.stringMatching(/no route leads/),
      expect.stringMatching(/IDENTITY is a database of the exchange/),
    ]);
  });

  it.each([
    ['a route', /routes = .*\n/, '', /no route leads to the Worker/],
    [
      'a host of one’s own',
      'pattern = "bureau.dev"',
      'pattern = "exchange.example"',
      /exchange\.example is a placeholder/,
    ],
    ['its account', /account_id = .*\n/, '', /account_id is not named/],
    ['what only the paid plan takes', /\[env\.production\.limits\]\ncpu_ms = .*\n/, '', /has no cpu_ms/],
    [
      'migrations in order',
      '[[env.production.migrations]]\ntag = "v1"',
      '[[env.production.migrations]]\ntag = "v2"',
      /not v1, v2/,
    ],
    ['a migration for each class', /  "WebhookSender",\n(?![^]*new_sqlite)/, '', /class WebhookSender/],
  ])('does not pass a configuration without %s', (_what, from, to, said) => {
    const toml = fillIn(ready);
    const changed = toml.replace(from, to);
    expect(changed).not.toBe(toml);
    const { errors, isReady } = examine(changed);
    expect([isReady, errors]).toEqual([false, [expect.stringMatching(said)]]);
  });

  it('does not pass a secret that is missing, or that is written into the configuration', () => {
    const others = SECRETS.filter((name) => name !== 'TOTP_SECRETS');
    const without = examine(fillIn(ready), others);
    expect([without.isReady, without.errors]).toEqual([false, [expect.stringContaining('TOTP_SECRETS')]]);
    const written = examine(withSecret(fillIn(ready)));
    expect([written.isReady, written.errors.join()]).toEqual([false, expect.stringContaining('OPERATOR_TOKEN')]);
  });
});
